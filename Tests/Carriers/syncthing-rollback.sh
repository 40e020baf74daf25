# A device's container is restored from a backup. Syncthing takes what is missing for deleted, and deletes it everywhere;
# with its index reset first, it brings back what is missing.
# Whether every container has everything that any store has published: a new device would see it all.
complete() {
  local name
  for name in a b c; do
    rm -rf new && mkdir new
    cp -a $name/c new/c
    (attach new && sync new) >out && [[ $(rows new) == "$total" ]] || return 1
  done
}
# How many transactions a device's service has published.
published_by() { grep -o 'event=published.*' "$1/serve.log" | grep -oE 'transactions=[0-9]+' | awk -F = '{ sum += $2 } END { print sum + 0 }'; }
fleet a b c
for name in a b c; do serve $name; done
for name in a b c; do insert $name "$name first"; done
converge 4 a b c
total=4
for way in '' '--reset-database'; do
  cp -a b/c backup
  for name in a b c; do
    for number in 1 2 3; do insert $name "$name$way $number"; done
    total=$((total + 3))
  done
  converge $total a b c
  stop b
  before=$(published_by a)
  rm -r b/c
  mv backup b/c
  if [[ -n $way ]]; then
    timeout 60 syncthing serve --home=b/syncthing "$way" >>b/syncthing.log 2>&1 || fail "reset of b"
  fi
  begin=$(now)
  start b
  for name in a b c; do insert $name "$name$way after"; done
  total=$((total + 3))
  converge $total a b c
  soon complete
  took=$(since "$begin")
  # But for the one that it wrote meanwhile.
  again=$(($(published_by a) - before - 1))
  # Else nothing was deleted anywhere, and nothing has been shown.
  [[ -n $way ]] || ((again > 0)) || fail 'no deletion has come to the writer'
  result "a container rolled back${way:+, with $way}: everything there again after $took; a published $again transactions again"
done
for name in a b c; do doctor $name || fail "doctor on $name"; done
