"""Formats of files, each in a folder that the registry of `akdask.storage` names."""
