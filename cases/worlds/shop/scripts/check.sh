# Every migration has a number of four digits, and no source file holds a tab.
bad=$(ls db/migrations | grep -v '^[0-9][0-9][0-9][0-9]_')
if [ -n "$bad" ]; then echo "check: badly named: $bad"; exit 1; fi
if ! grep -q '^port = ' config/server.toml; then echo "check: config/server.toml sets no port"; exit 1; fi
echo "check: ok"
