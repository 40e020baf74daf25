/* Files: what may be removed when, and who brings back what is gone. docs/space-files.md has the rules in words.
 *
 * Devices 0 and 1 write; device 2 comes later, with nothing. Each transaction is one segment in its author's
 * directory, each device has up to three baselines. The carrier loses and damages files, whole directories
 * too, and brings removed ones back; device LOSS is lost at any moment. What horizon.pml shows is taken for
 * granted: a horizon is what all members have.
 *
 * All actions are bounded, so every run ends; what holds where nothing can happen any more is what every run
 * comes to. The environment variable MUTATION has the number of a rule that is switched off;
 * tools/model/check expects that each of them makes a difference.
 */
/* What can be switched off. */
#define UNCOVERED 1     /* rule 18: baselines contain what is removed */
#define COVERED_ONCE 2  /* rule 18: two of them */
#define ONE_DIRECTORY 3 /* rule 18: in two directories */
#define TRUST_NAMES 4   /* rule 16: which have been read to their ends */
#define FORGET_EARLY 5  /* rule 19: records go after the segments */
#define WAIT_FOR_TEXT 6 /* rule 25: what has no text any more is put beneath a horizon */
#define OFF(m) (mutation == m)

#define NT 3 /* transactions: 0 and 1 of device 0, 2 of device 1; with SMALL, 1 is never made */
#define NP 3
#define NB 9 /* baselines: 3 of each device */
#ifndef NF
#define NF 2 /* files, or directories, that the carrier loses or damages */
#endif
#ifndef NR
#define NR 1 /* files that it brings back */
#endif
#ifndef LOSS
#define LOSS 9
#endif

#define BIT(x) (1 << (x))
#define SUB(a, b) (((a) & ~(b)) == 0)
#define ABSENT 0
#define WHOLE 1
#define DAMAGED 2

byte made;      /* transactions that were ever made */
byte segment;   /* segments in the container */
byte removed;   /* segments that their author has removed */
byte horizon;   /* declared */
byte B[NB];     /* what a baseline contains */
byte state[NB];
byte V[NP];     /* what a device has imported or made */
byte outbox[NP];
bit here[NP];   /* attached */
bit gone[NP];
byte faults, backs;

hidden byte x, y, inside, mutation;

#define OWNER(t) (t == 2 -> 1 : 0)
#define ALL(i) (!here[i] || gone[i] -> 7 : V[i])

#define USABLE(b) (state[b] == WHOLE || (OFF(TRUST_NAMES) && state[b] == DAMAGED))
#define COVERS(b, t) (USABLE(b) && (B[b] & BIT(t)))
/* How many directories have a baseline that contains a transaction. */
#define N(j, t) ((COVERS(3 * j, t) || COVERS(3 * j + 1, t) || COVERS(3 * j + 2, t)) -> 1 : 0)
#define TWICE(j, t) ((COVERS(3 * j, t) && COVERS(3 * j + 1, t)) || (COVERS(3 * j, t) && COVERS(3 * j + 2, t)) \
  || (COVERS(3 * j + 1, t) && COVERS(3 * j + 2, t)))
#define COVER(t) (N(0, t) + N(1, t) + N(2, t) \
  + ((OFF(ONE_DIRECTORY) && (TWICE(0, t) || TWICE(1, t) || TWICE(2, t))) -> 1 : 0))
#define G(b, t) (state[b] == WHOLE && (B[b] & BIT(t)))
/* Whether any file has it, whatever anybody believes. */
#define INFILE(t) ((segment & BIT(t)) || G(0, t) || G(1, t) || G(2, t) || G(3, t) || G(4, t) || G(5, t) \
  || G(6, t) || G(7, t) || G(8, t))
/* What some device lacks. */
#define HAS(i) (gone[i] -> 7 : V[i])
#define LACKED (~(HAS(0) & HAS(1) & HAS(2)) & 7)
#define ENOUGH (OFF(COVERED_ONCE) -> 1 : 2)

/* Directories with a whole baseline that contains a transaction, whatever anybody believes. */
#define D(j, t) ((G(3 * j, t) || G(3 * j + 1, t) || G(3 * j + 2, t)) -> 1 : 0)
#define KEPT(t) (D(0, t) + D(1, t) + D(2, t))
/* Whether its text is anywhere: a baseline has the text of what is not settled. */
#define TEXT(i, t) ((outbox[i] & BIT(t)) || INFILE(t))
#define T1(i, t) (!(V[i] & ~horizon & BIT(t)) || TEXT(i, t))
#define CANWRITE(i) (here[i] && !gone[i] && FREE(i) && T1(i, 0) && T1(i, 1) && T1(i, 2))

/* (e) Not one file, and not one directory, that is lost or damaged makes what was removed depend on a device. */
inline check() {
  for (x : 0 .. NT - 1) {
    assert(!(removed & BIT(x)) || faults > 1 || INFILE(x))
  }
  x = 0
}

/* Takes the next free place of the device's three. */
inline baseline(i) {
  y = (state[3 * i] == ABSENT -> 3 * i : (state[3 * i + 1] == ABSENT -> 3 * i + 1 : 3 * i + 2));
  state[y] = WHOLE; B[y] = V[i];
  y = 0
}

#define FREE(i) (state[3 * i] == ABSENT || state[3 * i + 1] == ABSENT || state[3 * i + 2] == ABSENT)
/* No baseline that is here has all that the device has. */
#define S(b, i) (USABLE(b) && SUB(V[i], B[b]))
#define FIRST(i) (!S(0, i) && !S(1, i) && !S(2, i) && !S(3, i) && !S(4, i) && !S(5, i) && !S(6, i) && !S(7, i) \
  && !S(8, i))
/* A device has no baseline of its own with that. */
#define SECOND(i) (!S(3 * i, i) && !S(3 * i + 1, i) && !S(3 * i + 2, i))
#define NEWER(a, b) ((a) != (b) && USABLE(a) && (SUB(B[b], B[a]) && (B[a] != B[b] || (a) < (b))))
#define NEW(j, b) ((NEWER(3 * j, b) || NEWER(3 * j + 1, b) || NEWER(3 * j + 2, b)) -> 1 : 0)
#define NEWERS(b) (NEW(0, b) + NEW(1, b) + NEW(2, b))

#define WRITE(t) :: d_step { i == OWNER(t) && !gone[i] && !(made & BIT(t)) && (t != 1 || (made & 1)) -> \
    printf("%d writes %d\n", i, t); made = made | BIT(t); V[i] = V[i] | BIT(t); outbox[i] = outbox[i] | BIT(t); \
    segment = segment | BIT(t) }
#define IMPORT(t) :: d_step { here[i] && !gone[i] && !(V[i] & BIT(t)) && (segment & BIT(t)) \
  && (t != 1 || (V[i] & 1)) -> printf("%d imports %d\n", i, t); V[i] = V[i] | BIT(t) }

/* A segment, when two baselines contain what is in it; later its records, when they still do. */
#define MAYREMOVE(t) ((horizon & BIT(t)) && (OFF(UNCOVERED) || COVER(t) >= ENOUGH))
#define REMOVE(t) :: d_step { i == OWNER(t) && !gone[i] && (segment & BIT(t)) && MAYREMOVE(t) -> \
    printf("%d removes segment %d\n", i, t); assert(KEPT(t) >= 2); \
    segment = segment & ~BIT(t); removed = removed | BIT(t); check() }
#define FORGET(t) :: d_step { i == OWNER(t) && !gone[i] && (outbox[i] & BIT(t)) && !(segment & BIT(t)) \
  && (removed & BIT(t)) && MAYREMOVE(t) -> \
    printf("%d forgets %d\n", i, t); outbox[i] = outbox[i] & ~BIT(t) }
/* What is missing and is no longer covered comes from the author's records. */
#define REPUBLISH(t) :: d_step { i == OWNER(t) && !gone[i] && (outbox[i] & BIT(t)) && !(segment & BIT(t)) \
  && !MAYREMOVE(t) -> \
    printf("%d writes segment %d again\n", i, t); segment = segment | BIT(t); removed = removed & ~BIT(t) }

/* A baseline of one's own goes when two newer ones, of whomever, contain all of it. */
#define TIDY(k) :: d_step { !gone[i] && state[3 * i + k] != ABSENT \
  && (state[3 * i + k] == DAMAGED || NEWERS(3 * i + k) >= ENOUGH) -> \
    printf("%d removes baseline %d\n", i, k); state[3 * i + k] = ABSENT; B[3 * i + k] = 0; check() }

/* Who lacks something, or has nothing yet, takes a baseline: a new device from the container, another one when
 * nobody has brought the segment for long. */
#define LOAD(b) :: d_step { !gone[i] && state[b] == WHOLE && (!here[i] || !SUB(B[b], V[i])) -> \
    printf("%d loads baseline %d: %d\n", i, b, B[b]); V[i] = V[i] | B[b]; here[i] = 1 }

#define U(t) ((horizon & BIT(t)) && COVER(t) < ENOUGH)
#define TOOFEW (U(0) || U(1) || U(2))

/* The carrier. */
#define LOSESEGMENT(t) :: d_step { faults < NF && (segment & BIT(t)) -> \
    printf("the carrier loses segment %d\n", t); faults++; segment = segment & ~BIT(t); check() }
#define LOSEBASELINE(b) :: d_step { faults < NF && state[b] == WHOLE -> \
    printf("the carrier damages baseline %d\n", b); faults++; state[b] = DAMAGED; check() } \
  :: d_step { faults < NF && state[b] == WHOLE -> \
    printf("the carrier loses baseline %d\n", b); faults++; state[b] = ABSENT; B[b] = 0; check() }
#define BRING(t) :: d_step { backs < NR && (removed & BIT(t)) && !(segment & BIT(t)) -> \
    printf("the carrier brings segment %d\n", t); backs++; segment = segment | BIT(t) }

/* A device that has what others lack and no file has. */
#define SUPPLIES(i) (LACKED & V[i])
#define UNFILED ((INFILE(0) -> 0 : 1) | (INFILE(1) -> 0 : 2) | (INFILE(2) -> 0 : 4))

#define SOMEBODYHAS(t) (((HAVE(0) | HAVE(1) | HAVE(2)) & BIT(t)) != 0)
#define HAVE(i) (gone[i] -> 0 : V[i])
#define LOSTTEXT(t) :: d_step { !OFF(WAIT_FOR_TEXT) && SOMEBODYHAS(t) && !(horizon & BIT(t)) && (LACKED & BIT(t)) \
  && !INFILE(t) && (gone[OWNER(t)] || !(outbox[OWNER(t)] & BIT(t))) -> \
    printf("%d is put beneath the horizon\n", t); assert(gone[OWNER(t)]); horizon = horizon | BIT(t) }

proctype Device(byte i) {
end:
  do
  WRITE(0) WRITE(2)
#ifndef SMALL
  WRITE(1)
#endif
  IMPORT(0) IMPORT(1) IMPORT(2)
  REMOVE(0) REMOVE(1) REMOVE(2)
  FORGET(0) FORGET(1) FORGET(2)
  :: d_step { OFF(FORGET_EARLY) && !gone[i] && (outbox[i] & ~horizon) ->
    printf("%d forgets %d\n", i, outbox[i]); outbox[i] = 0 }
  REPUBLISH(0) REPUBLISH(1) REPUBLISH(2)
  TIDY(0) TIDY(1) TIDY(2)
  LOAD(0) LOAD(1) LOAD(2) LOAD(3) LOAD(4) LOAD(5) LOAD(6) LOAD(7) LOAD(8)
  /* Baselines for room: one that is newer than all, then another one's of the same. */
  :: d_step { CANWRITE(i) && horizon && SUB(horizon, V[i]) && (FIRST(i) || SECOND(i)) && TOOFEW ->
    printf("%d writes a baseline of %d\n", i, V[i]); baseline(i) }
  /* And for others. */
  :: d_step { CANWRITE(i) && (SUPPLIES(i) & UNFILED) ->
    printf("%d writes a baseline of %d for others\n", i, V[i]); baseline(i) }
  :: d_step { i == LOSS && !gone[i] -> printf("%d is lost\n", i); gone[i] = 1 }
  od
}

proctype World() {
end:
  do
  :: d_step { !SUB(ALL(0) & ALL(1) & ALL(2) & made, horizon) ->
    horizon = horizon | (ALL(0) & ALL(1) & ALL(2) & made) }
  /* Only the author can lose the last text of what is not settled: it is lost with it. */
  LOSTTEXT(0) LOSTTEXT(1) LOSTTEXT(2)
  LOSESEGMENT(0) LOSESEGMENT(1) LOSESEGMENT(2)
  LOSEBASELINE(0) LOSEBASELINE(1) LOSEBASELINE(3) LOSEBASELINE(4) LOSEBASELINE(6)
  BRING(0) BRING(1) BRING(2)
  /* Somebody deletes a directory. */
  :: d_step { faults < NF && (segment & 3) -> printf("the carrier loses the directory of 0\n");
    faults++; segment = segment & 4; state[0] = ABSENT; state[1] = ABSENT; state[2] = ABSENT;
    B[0] = 0; B[1] = 0; B[2] = 0; check() }
  /* The new device appears: it has nothing, and members wait for it from now on. */
  :: d_step { !here[2] && segment && !(removed) -> here[2] = 1 }
  od
}

/* (c), (d) All that any device has is everywhere in the end. */
active proctype End() {
end:
  timeout;
  d_step {
    inside = 0;
    for (y : 0 .. NP - 1) {
      inside = inside | (gone[y] -> 0 : V[y])
    }
    assert(gone[0] || V[0] == inside);
    assert(gone[1] || V[1] == inside);
    assert(gone[2] || V[2] == inside);
    inside = 0; y = 0
  }
}

init {
  atomic {
    c_code { mutation = getenv("MUTATION") ? atoi(getenv("MUTATION")) : 0; };
    here[0] = 1; here[1] = 1;
    run Device(0); run Device(1); run Device(2); run World()
  }
}
