# Completion of the command tern for fish.
function __tern_in
    __fish_seen_subcommand_from $argv
end
set -l commands new dev serve routes openapi migrate cert bench
complete -c tern -f
complete -c tern -s h -l help -d 'Print help'
complete -c tern -n "not __fish_seen_subcommand_from $commands" -l version -d 'Print the version'
complete -c tern -n "not __fish_seen_subcommand_from $commands" -a new -d 'Write a new project'
complete -c tern -n "not __fish_seen_subcommand_from $commands" -a dev -d 'Build a project when it changes, and run it'
complete -c tern -n "not __fish_seen_subcommand_from $commands" -a serve -d 'Serve the files of a folder'
complete -c tern -n "not __fish_seen_subcommand_from $commands" -a routes -d 'Print the routes of a program'
complete -c tern -n "not __fish_seen_subcommand_from $commands" -a openapi -d 'Print the OpenAPI document of a program'
complete -c tern -n "not __fish_seen_subcommand_from $commands" -a migrate -d 'Run the migrations of a folder in a database'
complete -c tern -n "not __fish_seen_subcommand_from $commands" -a cert -d 'Make a certificate for HTTPS in development'
complete -c tern -n "not __fish_seen_subcommand_from $commands" -a bench -d 'Send requests to a server, and measure its responses'

complete -c tern -n '__tern_in new' -s t -l template -x -a 'minimal rest web websocket' -d 'What the project begins with'
complete -c tern -n '__tern_in new' -l db -x -a 'sqlite postgres' -d 'A database, for the template rest'
complete -c tern -n '__tern_in new' -s C -l folder -x -a '(__fish_complete_directories)' -d 'Where it is written'

complete -c tern -n '__tern_in dev' -s S -l source -x -a '(__fish_complete_directories)' -d 'Folder of the project'
complete -c tern -n '__tern_in dev' -s B -l build -x -a '(__fish_complete_directories)' -d 'Build folder'
complete -c tern -n '__tern_in dev' -l program -r -F -d 'The program'
complete -c tern -n '__tern_in dev' -s w -l watch -x -a '(__fish_complete_directories)' -d 'Another folder whose changes count'

complete -c tern -n '__tern_in dev serve' -l host -x -d 'Address to listen on'
complete -c tern -n '__tern_in dev serve' -s p -l port -x -d 'Port to listen on'
complete -c tern -n '__tern_in serve' -a '(__fish_complete_directories)'
complete -c tern -n '__tern_in serve' -l threads -x -d Threads
complete -c tern -n '__tern_in serve' -l certificate -r -F -d 'Certificate chain (PEM)'
complete -c tern -n '__tern_in serve' -l key -r -F -d 'Key (PEM)'
complete -c tern -n '__tern_in serve' -l spa -x -d 'File for paths without a file'
complete -c tern -n '__tern_in serve' -l no-listing -d '404 for folders without an index.html'
complete -c tern -n '__tern_in serve' -l no-compression -d 'Do not compress while sending'

complete -c tern -n '__tern_in routes openapi migrate' -F
complete -c tern -n '__tern_in openapi' -l path -x -d 'Where it is served'
complete -c tern -n '__tern_in migrate' -s f -l folder -x -a '(__fish_complete_directories)' -d 'Folder of the files'
complete -c tern -n '__tern_in migrate' -l to -x -d 'The last number that is run'
complete -c tern -n '__tern_in migrate' -l status -d 'Print the states, and change nothing'

complete -c tern -n '__tern_in cert' -s o -l out -x -a '(__fish_complete_directories)' -d 'Folder of the certificate'
complete -c tern -n '__tern_in cert' -l ca -x -a '(__fish_complete_directories)' -d 'Folder of the authority'
complete -c tern -n '__tern_in cert' -s d -l days -x -d 'Days that it is valid'
complete -c tern -n '__tern_in cert' -s f -l force -d 'Replace the certificate'

complete -c tern -n '__tern_in bench' -s c -l connections -x -d Connections
complete -c tern -n '__tern_in bench' -l http2 -d 'HTTP/2'
complete -c tern -n '__tern_in bench' -s m -l streams -x -d 'Requests at a time of each connection, over HTTP/2'
complete -c tern -n '__tern_in bench' -s d -l duration -x -d 'How long'
complete -c tern -n '__tern_in bench' -l warm-up -x -d 'How long before, without measuring'
complete -c tern -n '__tern_in bench' -s r -l rate -x -d 'Requests a second'
complete -c tern -n '__tern_in bench' -s X -l method -x -a 'GET HEAD POST PUT PATCH DELETE' -d 'The method'
complete -c tern -n '__tern_in bench' -s H -l header -x -d 'A field of the requests'
complete -c tern -n '__tern_in bench' -l body -x -d 'Content of the requests'
complete -c tern -n '__tern_in bench' -l body-file -r -F -d 'The same from a file'
complete -c tern -n '__tern_in bench' -s k -l insecure -d 'Do not verify the certificate'
complete -c tern -n '__tern_in bench' -l json -d 'Print one JSON object'
