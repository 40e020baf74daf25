# How long a commit takes without `dir_cache=no`.
fleet a b
mounted c "$(sed 's/dir_cache=no,//' <<<"$options")"
attach c
serve c
converge 2 a b c
for round in 1 2; do
  begin=$(now)
  insert a "$round"
  soon same $((2 + round)) a b
  without=$(since "$begin")
  soon same $((2 + round)) a c
  result "a commit of the server: $without with dir_cache=no, $(since "$begin") without it"
done
converge 4 a b c
for name in a b c; do sound $name; done
