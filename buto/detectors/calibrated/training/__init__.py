"""What a calibrated oracle learns from its training runs: to compute it, and to write it down."""
