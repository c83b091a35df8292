#!/usr/bin/env bash
# The address comes as the argument, the variables as JSON. Exit code 3 says that
# there is no such resource.
case $1 in
db://users/ada) echo '{"name":"Ada"}' ;;
*) exit 3 ;;
esac
