@echo off
rem Starts the server of the project in this folder with its own copy of mcp-bash. Made by mcp-bash vendor.
setlocal DisableDelayedExpansion
rem Without a project by name, the server looks for one from here upwards.
if not defined MCPBASH_PROJECT_ROOT pushd "%~dp0"
"%~dp0.mcp-bash\bin\mcp-bash.exe" serve %*
exit /b %ERRORLEVEL%
