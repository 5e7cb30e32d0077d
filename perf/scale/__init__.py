"""Many MBeans, long runs, large and shared stores, many launches and hosts."""
