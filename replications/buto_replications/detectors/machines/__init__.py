"""The method ``machines``: runs of machines that training does not know, by what machines do not change."""
