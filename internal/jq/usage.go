package jq

const usage = `jq - command-line JSON processor [` + Version + `]

Usage:	jq [options] <jq filter> [file...]

jq applies the filter to each JSON text of its input and prints what comes out.
The simplest filter is ., which prints its input formatted.

  -n, --null-input          use null as the single input; read with input, inputs
  -R, --raw-input           read each line as a string
  -s, --slurp               read all inputs into one array, or one string with -R
      --stream              read inputs as [path, leaf] events
      --seq                 read and write JSON sequences (RFC 7464)

  -c, --compact-output      one line for each output
  -r, --raw-output          write strings without quotes
  -j, --join-output         as -r, and no newline after an output
      --raw-output0         as -r, with a zero byte after each output
  -a, --ascii-output        write only ASCII, other characters as \uXXXX
      --tab, --indent n     indent with tabs, or with n blanks, 0 to 7
      --unbuffered          write each output at once
  -e, --exit-status         exit with 1 if the last output was false or null,
                            with 4 if there was none
  -S, -C, -M                accepted: keys are always sorted, output is never coloured

  -f, --from-file           the first argument is a file that holds the filter
  -L, --library-path dir    look for modules in dir
      --arg name value      set $name to a string
      --argjson name json   set $name to a JSON value
      --slurpfile name file set $name to an array of the JSON texts in file
      --rawfile name file   set $name to the text of file
      --args, --jsonargs    the other arguments are $ARGS.positional: strings, or JSON
      --                    no options follow
  -h, --help, -V, --version show this, or the version
`
