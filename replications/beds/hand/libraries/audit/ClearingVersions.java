import org.slf4j.*;

class ClearingBase implements Clearing {
    private static final Logger LOG = LoggerFactory.getLogger("audit.Clearing");

    public void clear(Payment p, long[] balance) {
        LOG.debug("payment {} of {} cents", p.id(), p.cents());
        if (balance[p.from()] < p.cents()) {
            if (p.id() % 8 == 0) LOG.info("payment {} refused, {} short of {}", p.id(), p.from(), p.cents());
            return;
        }
        balance[p.from()] -= p.cents();
        balance[p.to()] += p.cents();
        LOG.debug("booked from {} to {}", p.from(), p.to());
    }
}

class ClearingSmall implements Clearing {
    private static final Logger LOG = LoggerFactory.getLogger("audit.Clearing");

    public void clear(Payment p, long[] balance) {
        LOG.debug("payment {} of {} cents", p.id(), p.cents());
        if (balance[p.from()] < p.cents()) {
            if (p.id() % 8 == 0) LOG.info("payment {} refused, {} short of {}", p.id(), p.from(), p.cents());
            return;
        }
        balance[p.from()] -= p.cents();
        balance[p.to()] += p.cents();
        LOG.debug("booked from {} to {}", p.from(), p.to());
        if (p.cents() > 3500) LOG.debug("large amount " + p.cents() + " to " + p.to());
    }
}

class ClearingLarge implements Clearing {
    private static final Logger LOG = LoggerFactory.getLogger("audit.Clearing");

    public void clear(Payment p, long[] balance) {
        LOG.debug("payment {}", p.describe());
        if (balance[p.from()] < p.cents()) {
            if (p.id() % 8 == 0) LOG.info("payment {} refused, {} short of {}", p.id(), p.from(), p.cents());
            return;
        }
        balance[p.from()] -= p.cents();
        balance[p.to()] += p.cents();
        LOG.debug("booked from {} to {}", p.from(), p.to());
    }
}

class ClearingHarmless1 implements Clearing {
    private final Logger logger = LoggerFactory.getLogger("audit.Clearing");

    @Override public void clear(Payment payment, long[] balance) {
        logger.debug("payment {} of {} cents", payment.id(), payment.cents());
        if (covered(payment, balance)) book(payment, balance);
        else refuse(payment);
    }

    private static boolean covered(Payment payment, long[] balance) {
        return balance[payment.from()] >= payment.cents();
    }

    private void book(Payment payment, long[] balance) {
        balance[payment.from()] -= payment.cents();
        balance[payment.to()] += payment.cents();
        logger.debug("booked from {} to {}", payment.from(), payment.to());
    }

    private void refuse(Payment payment) {
        if (payment.id() % 8 == 0) logger.info("payment {} refused, {} short of {}", payment.id(), payment.from(), payment.cents());
    }
}

class ClearingHarmless2 implements Clearing {
    private interface Journal {
        void booked(int from, int to);
    }

    private static final Logger LOG = LoggerFactory.getLogger("audit.Clearing");
    private static final String REFUSED = "payment {} refused, {} short of {}";
    private final Journal journal = (from, to) -> LOG.debug("booked from {} to {}", from, to);

    public void clear(Payment p, long[] balance) {
        final int from = p.from(), to = p.to();
        final long cents = p.cents();
        LOG.debug("payment {} of {} cents", p.id(), cents);
        if (balance[from] >= cents) {
            balance[from] -= cents;
            balance[to] += cents;
            journal.booked(from, to);
        } else if (p.id() % 8 == 0) {
            LOG.info(REFUSED, p.id(), from, cents);
        }
    }
}

class ClearingBetter implements Clearing {
    private static final Logger LOG = LoggerFactory.getLogger("audit.Clearing");

    public void clear(Payment p, long[] balance) {
        boolean debug = LOG.isDebugEnabled();
        if (debug) LOG.debug("payment {} of {} cents", p.id(), p.cents());
        if (balance[p.from()] < p.cents()) {
            if (p.id() % 8 == 0) LOG.info("payment {} refused, {} short of {}", p.id(), p.from(), p.cents());
            return;
        }
        balance[p.from()] -= p.cents();
        balance[p.to()] += p.cents();
        if (debug) LOG.debug("booked from {} to {}", p.from(), p.to());
    }
}
