/** One event as a station saw it. */
record Shock(String station, int second, int magnitude, double depth) { }
