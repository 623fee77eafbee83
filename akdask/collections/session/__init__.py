"""Connections, and the lazy objects that stored ones become."""
