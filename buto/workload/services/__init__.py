"""Services: commands that run beside the program, such as a database, and are ready before it starts.

Nothing is imported here: configurations need the model of a service, but not what runs it.
"""
