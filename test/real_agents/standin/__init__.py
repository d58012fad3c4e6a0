"""A stand-in for the models behind coding agents, on loopback: StandIn in server.py."""
