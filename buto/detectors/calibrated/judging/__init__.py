"""How a calibrated oracle judges: from scores of all quantities to a decision and findings."""
