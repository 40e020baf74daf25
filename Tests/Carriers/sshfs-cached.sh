# How long a commit takes without `dir_cache=no`.
device a
rmdir a/c && ln -s ../served a/c
mounted b
mounted c "$(sed 's/dir_cache=no,//' <<<"$options")"
attach a --schema schema.sql
for name in b c; do attach $name; done
for name in a b c; do serve $name; done
insert a first
converge 1 a b c
for round in 1 2; do
  begin=$(now)
  insert a "$round"
  soon same $((1 + round)) a b
  without=$(since "$begin")
  soon same $((1 + round)) a c
  result "a commit of the server: $without with dir_cache=no, $(since "$begin") without it"
done
converge 3 a b c
for name in a b c; do doctor $name || fail "doctor on $name"; done
