#!/usr/bin/env bash
echo "The form is open; what the user saves is answered by save-contact."
