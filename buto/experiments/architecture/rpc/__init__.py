"""From times of remote calls to response times, on data of Train Ticket and E-Shopper recorded by others."""
