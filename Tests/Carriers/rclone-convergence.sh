# What rclone would take for a pattern.
content='Li[b}{rary'
fleet a b c
for name in a b c; do insert $name "$name apart"; done
begin=$(now)
exchange a b c
converge 4 a b c
result "$kind, 3 devices, two rounds each: $(since "$begin")"
# What its writer has removed goes from the remote too.
own=tributary/$content/peers/$(peer a)
gone=0000000000000099-0000000000000099-0000000000000000.lz4
rclone copyto "a/c/$own/log/$(ls "a/c/$own/log" | head -n 1)" "remote:bucket/music/$own/log/$gone" || fail copyto
carry a || fail 'the last upload'
diff <(ls "a/c/$own/log") <(rclone lsf "remote:bucket/music/$own/log") || fail 'the remote has another log'
# An empty mount point must not empty the remote.
mv a/c a/away && mkdir a/c
carry a && fail 'an empty container was carried'
grep -q 'does not have the directory' a/carry.log || fail 'the reason'
rmdir a/c && mv a/away a/c
joined d
converge 4 a b c d
# A copy takes another identity, and brings what it wrote under the former one.
before=$(peer a)
insert a 'published, not carried'
sync a
cp a/store.db a/copy.db && mv a/copy.db a/store.db && rm -f a/store.db-wal a/store.db-shm
insert a 'under another identity'
sync a
[[ $(peer a) != "$before" ]] || fail 'the copy has no identity of its own'
exchange a b c d
converge 6 a b c d
for name in a b c d; do
  doctor $name || fail "doctor on $name"
done
