@echo off
echo hello from a batch file
