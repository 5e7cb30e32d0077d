"""What buto reads of a measured JVM from outside: nothing of it costs the program anything."""
