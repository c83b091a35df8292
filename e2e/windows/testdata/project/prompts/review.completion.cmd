@echo off
echo main
echo maintenance
