"""Native executables in many releases: a probe that counts what each uses, and what buto says of them."""
