@echo off
echo Review the branch.
