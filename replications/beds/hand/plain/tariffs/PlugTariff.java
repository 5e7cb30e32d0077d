/** The tariff code of a region, as the grid operators deliver it. */
public class PlugTariff implements Tariff {
    private final PlugSeason season = new PlugSeason();
    private final PlugStep[] steps;
    private final PlugRounding rounding;

    public PlugTariff(int kind) {
        steps = new PlugStep[] {new PlugStep(0, 31 + kind), new PlugStep(600, 27 + kind), new PlugStep(900, 25)};
        rounding = kind % 2 == 0 ? new PlugDown() : new PlugHalfUp();
    }

    @Override public long price(int hour, long wattHours) {
        int cents = 0;
        for (PlugStep s : steps) if (wattHours >= s.from()) cents = s.cents();
        return rounding.round(wattHours * cents * season.percent(hour));
    }
}

class PlugSeason {
    int percent(int hour) {
        int month = hour / 730 % 12, clock = hour % 24;
        return (month < 3 || month > 9 ? 105 : 98) + (clock < 6 ? -20 : 0);
    }
}

record PlugStep(int from, int cents) { }

interface PlugRounding {
    long round(long v);
}

class PlugDown implements PlugRounding {
    public long round(long v) { return v / 100; }
}

class PlugHalfUp implements PlugRounding {
    public long round(long v) { return (v + 50) / 100; }
}
