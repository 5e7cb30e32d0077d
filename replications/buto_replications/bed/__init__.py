"""The runs of the bed, Keycloak on PostgreSQL, without a bed: replications/docs/bed-format.md."""
