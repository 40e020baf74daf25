/* Horizons: who may forget what, and how devices stay equal. docs/space.md has the rules in words,
 * and docs/space-return.md those of coming back.
 *
 * Devices write, import in any order, propose horizons, promise, declare, forget, leave each other out, come
 * back, and are lost. Whatever was ever published can be read at any later time, or never: that stands for
 * every order of delivery, for old versions of files, and for files that come back.
 *
 * All actions are bounded, so every run ends; what holds where nothing can happen any more is what every
 * run comes to, provided that nothing that can happen is put off for ever.
 *
 * NP devices (with TWO, two of three), NW writes, NI first proposals (those that only leave somebody out are not
 * counted); device LOSS is lost at some moment. The environment variable MUTATION has the number of a rule that is
 * switched off; tools/model/check expects that each of them makes a difference.
 */
#ifndef NP
#define NP 3
#endif
#ifndef NW
#define NW 3
#endif
#ifndef NI
#define NI 2
#endif
#ifndef NT
#define NT 6 /* transactions, numbered from 0 in the order in which they are made */
#endif
#ifndef ND
#define ND 4 /* declarations, numbered from 1; 0 is "none": everything passes it */
#endif
#define NG 3 /* identities that a device can have, one after the other */

/* What can be switched off. */
#define NO_FENCE 1         /* rule 7: after a promise, only what passes */
#define ALONE 2            /* rule 8: a horizon counts when all members have promised, not only one */
#define LOUD 3             /* rule 6: who promises has nothing that does not pass */
#define NO_FOLLOWS 4       /* rule 6: a promise follows the last one */
#define NO_NARROWING 5     /* rule 8: those who do not promise are left out */
#define NO_ORDER 6         /* rule 10: the last in the order counts, not the first that arrives */
#define BACK 7             /* rule 11: who has forgotten more than a horizon does not follow it */
#define EARLY 8            /* rule 11: who follows has all of the horizon */
#define NO_RETURN 9        /* rule 12: who does not fit comes back */
#define DROP 10            /* rule 12.3: what passes is kept in the same step */
#define NO_REISSUE 11      /* rule 12.5: what does not pass is issued again */
#define LATE 12            /* rule 12.5: with the horizon's knowledge and time, and as what has lost */
#define OFF(m) (mutation == m)

#define NOTHING 15 /* no write is shown */
#define BIT(x) (1 << (x))
#define SUB(a, b) (((a) & ~(b)) == 0)

/* Transactions. */
byte nt, nw;
byte K[NT];    /* what its author knew */
byte st[NT];   /* stamp: time, then identity; later than all that the author knew */
byte aid[NT];  /* identity of the author */
byte item[NT]; /* the writes that it carries, each named by the transaction that first did */
bit again[NT]; /* it issues again what was made before */
bit side[NT];  /* it only says what has lost: a conflict */

/* Declarations, from their proposal on. */
byte nd, ni;
byte H[ND + 1];    /* the horizon: every member has imported it */
short M[ND + 1];   /* members, as identities */
short P[ND + 1];   /* the members that have promised */
byte w[ND + 1];    /* weight */
bit hasB[ND + 1];  /* a baseline that declares it, and contains exactly H, is in the container */

/* Devices. */
byte V[NP];       /* what is imported or made */
byte gen[NP];     /* how many identities it has left */
byte open[NP];    /* what it has promised since, not known to be declared, nor void: a set of declarations */
byte last[NP];    /* the last of these, otherwise the one that it obeys */
byte adopted[NP]; /* the last one that it knows to be declared, and obeys */
byte forgot[NP];  /* it has forgotten what lies beneath that one */
byte shown[NP];   /* whose value the one row of its database shows */
bit gone[NP];
byte lost;  /* transactions that nobody has any more */
byte taken; /* writes that somebody else has imported */
bit reached;  /* a bound of the model was reached */

hidden byte x, y, best, fenced, all;
hidden byte mutation;

#define IDENTITY(i) ((i) + NP * gen[i])
#define ID(i) BIT(IDENTITY(i))
#define DECLARED(d) (P[d] == M[d])
#define KEY(d) (w[d] * 8 + (d))

/* A transaction passes a horizon: it lies beneath, or it knows all of it. */
#define PASS(t, h) (((h) & BIT(t)) || SUB(h, K[t]))
#define PASSES(t, d) PASS(t, H[d])
#define PROMISED(t, d) (OFF(NO_FENCE) || PASSES(t, d))

/* All of a set passes. */
#define P1(set, h, t) (((set) & BIT(t)) == 0 || PASS(t, h))
#define ALL(set, h) (P1(set, h, 0) && P1(set, h, 1) && P1(set, h, 2) && P1(set, h, 3) && P1(set, h, 4) \
  && P1(set, h, 5))
#define CLEAN(i, d) ALL(V[i], H[d])

/* What the merge shows by its definition: the latest write. */
inline fold(set) {
  best = NOTHING;
  for (x : 0 .. NT - 1) {
    if
    :: ((set) & BIT(x)) && !side[x] && (best == NOTHING || st[x] > st[best]) -> best = x
    :: else
    fi
  }
}

/* (a) A device shows what the definition says of the set that it has imported: so two with one set are equal.
 * (b) Nothing that its author knew again, when it issued something again, is undone: what others have deleted
 * or replaced stays so. */
inline check(i) {
  fold(V[i]);
  assert(shown[i] == best);
  if
  :: shown[i] != NOTHING && again[shown[i]] ->
    for (x : 0 .. NT - 1) {
      assert((V[i] & K[shown[i]] & BIT(x)) == 0 || again[x])
    }
  :: else
  fi;
  x = 0; y = 0; best = 0; fenced = 0; all = 0
}

/* Merging compares with the bookkeeping of what is not forgotten. What is forgotten counts as earlier. */
inline merge(i, t) {
  V[i] = V[i] | BIT(t);
#ifdef LOSS
  taken = taken | item[t];
#endif
  if
  :: side[t] -> skip
  :: else ->
    if
    :: shown[i] == NOTHING || (H[forgot[i]] & BIT(shown[i])) || st[t] > st[shown[i]] -> shown[i] = t
    :: else
    fi
  fi
}

inline stamp(set, i) {
  y = 0;
  for (x : 0 .. NT - 1) {
    if :: ((set) & BIT(x)) && st[x] / 16 > y -> y = st[x] / 16 :: else fi
  }
  st[nt] = (y + 1) * 16 + IDENTITY(i)
}

inline write(i) {
  K[nt] = V[i];
  printf("%d writes %d, knowing %d\n", i, nt, K[nt]);
  stamp(V[i], i);
  aid[nt] = IDENTITY(i);
  item[nt] = BIT(nt);
  V[i] = V[i] | BIT(nt);
  shown[i] = nt;
  nt++; nw++;
  check(i)
}

/* Coming back: a device takes the contents of a baseline in place of its own, applies to that, in one step,
 * what it has and passes, and issues the rest again under another identity. What it issues again shows only
 * where the horizon has no value. */
inline comeBack(i, d) {
  all = H[d]; fenced = 0;
  for (x : 0 .. NT - 1) {
    if
    :: V[i] & ~H[d] & BIT(x) ->
      if
      :: PASSES(x, d) && SUB(K[x], all) -> if :: OFF(DROP) -> skip :: else -> all = all | BIT(x) fi
      :: else -> fenced = fenced | BIT(x)
      fi
    :: else
    fi
  }
  if :: fenced || open[i] -> gen[i]++ :: else fi;
  adopted[i] = d; last[i] = d; open[i] = 0; forgot[i] = d;
  V[i] = all;
  fold(all); shown[i] = best;
  /* The writes that nothing here carries any more. */
  y = 0;
  for (x : 0 .. NT - 1) {
    if :: fenced & BIT(x) -> y = y | item[x] :: else fi
  }
  for (x : 0 .. NT - 1) {
    if :: all & BIT(x) -> y = y & ~item[x] :: else fi
  }
  all = (OFF(NO_REISSUE) -> 0 : y);
  if
  :: all ->
    K[nt] = (OFF(LATE) -> V[i] : H[d]);
    stamp(K[nt], i);
    aid[nt] = IDENTITY(i);
    item[nt] = all;
    again[nt] = 1;
    fold(H[d]);
    side[nt] = (best != NOTHING && !OFF(LATE));
    printf("%d issues %d again as %d, side %d\n", i, all, nt, side[nt]);
    V[i] = V[i] | BIT(nt);
    nt++;
    fold(V[i]); shown[i] = best
  :: else
  fi;
  check(i)
}

#define MAYIMPORT(i, t) (t < nt && !(V[i] & BIT(t)) && !(lost & BIT(t)) && SUB(K[t], V[i]) \
  && PASSES(t, adopted[i]) && PROMISED(t, last[i]))

#define IMPORT(t) :: d_step { !gone[i] && MAYIMPORT(i, t) -> \
    printf("%d imports %d\n", i, t); merge(i, t); check(i) }

/* A first proposal: the horizon is the latest of what all members have that is quiet, or just what all have: to
 * a proposer whose receipts are behind, that may seem quiet. Which members is arbitrary, so that it also stands for
 * peers that were never heard of, and for those that were left out by mistake. */
#define IN(m, q) (((m) >> (q)) & 1)
#define MEMBERS(m) ((IN(m, 0) * ID(0)) | (IN(m, 1) * ID(1)) | (IN(m, 2) * ID(2)) MEMBERS4(m))
#define COUNT(m) (IN(m, 0) + IN(m, 1) + IN(m, 2) COUNT4(m))
#define HAVE(m) ((IN(m, 0) -> V[0] : 255) & (IN(m, 1) -> V[1] : 255) & (IN(m, 2) -> V[2] : 255) HAVE4(m))
#if NP > 3
#define MEMBERS4(m) | (IN(m, 3) * ID(3))
#define COUNT4(m) + IN(m, 3)
#define HAVE4(m) & (IN(m, 3) -> V[3] : 255)
#else
#define MEMBERS4(m)
#define COUNT4(m)
#define HAVE4(m)
#endif

/* Takes away what somebody who has more did not know, until nothing more must be. A quiet horizon is closed. */
#define HAS(m) ((IN(m, 0) -> V[0] : 0) | (IN(m, 1) -> V[1] : 0) | (IN(m, 2) -> V[2] : 0) HAS4(m))
#if NP > 3
#define HAS4(m) | (IN(m, 3) -> V[3] : 0)
#else
#define HAS4(m)
#endif
inline quiet(m) {
  all = HAVE(m);
  for (y : 1 .. NT) {
    for (x : 0 .. NT - 1) {
      if :: (HAS(m) & ~all & BIT(x)) -> all = all & K[x] :: else fi
    }
  }
  x = 0; y = 0
}

#define SUGGEST(horizon, members, weight) \
  nd++; H[nd] = horizon; M[nd] = members; w[nd] = weight; P[nd] = ID(i); \
  open[i] = open[i] | BIT(nd); last[i] = nd; \
  printf("%d proposes %d: horizon %d, members %d\n", i, nd, H[nd], M[nd])

#define MAYPROPOSE(i, m) (!gone[i] && nd < ND && ni < NI && IN(m, i))
#define USEFUL(i, h) ((h) && (h) != H[last[i]] && SUB(H[last[i]], h) && (OFF(LOUD) || ALL(V[i], h)))
#define LOUDLY(m) :: d_step { MAYPROPOSE(i, m) && USEFUL(i, HAVE(m)) -> \
    SUGGEST(HAVE(m), MEMBERS(m), w[last[i]] + COUNT(m)); ni++ }
#ifdef ENDS
#define PROPOSE(m) LOUDLY(m) /* the other goes round where there is nothing to propose */
#else
#define PROPOSE(m) LOUDLY(m) \
  :: d_step { MAYPROPOSE(i, m) -> quiet(m); \
    if \
    :: USEFUL(i, all) -> SUGGEST(all, MEMBERS(m), w[last[i]] + COUNT(m)); ni++ \
    :: else \
    fi; \
    all = 0 }
#endif

/* Leaving out a member whose promise has not arrived. */
#define MAYLEAVE(i, q) (!OFF(NO_NARROWING) && !gone[i] && nd < ND && open[i] && IDENTITY(i) != q)
#define BITS(m) (((m) & 1) + (((m) >> 1) & 1) + (((m) >> 2) & 1) + (((m) >> 3) & 1) + (((m) >> 4) & 1) \
  + (((m) >> 5) & 1) + (((m) >> 6) & 1) + (((m) >> 7) & 1) + (((m) >> 8) & 1))
#define LEAVEOUT(k) :: d_step { MAYLEAVE(i, k) && (M[last[i]] & BIT(k)) -> \
    SUGGEST(H[last[i]], M[last[i]] & ~BIT(k), w[last[i]] + BITS(M[last[i]] & ~BIT(k))) }

/* A promise. */
#define FOLLOWS(i, d) (OFF(NO_FOLLOWS) || (KEY(d) > KEY(last[i]) && SUB(H[last[i]], H[d])))
#define MAYPROMISE(i, d) (!gone[i] && d <= nd && (M[d] & ID(i)) && !(P[d] & ID(i)) && SUB(H[d], V[i]) \
  && FOLLOWS(i, d) && (OFF(LOUD) || CLEAN(i, d)))
#define PROMISE(d) :: d_step { MAYPROMISE(i, d) -> \
    printf("%d promises %d\n", i, d); P[d] = P[d] | ID(i); open[i] = open[i] | BIT(d); relast(i) }

/* The last of what is promised, otherwise what is obeyed. */
inline relast(i) {
  last[i] = adopted[i];
  for (x : 1 .. ND) {
    if :: (open[i] & BIT(x)) && KEY(x) > KEY(last[i]) -> last[i] = x :: else fi
  }
  x = 0
}

/* A member has what does not pass, so it can never promise. */
#define CANNOT(q, d) ((M[d] & ID(q)) && !(P[d] & ID(q)) && !CLEAN(q, d))
#define VOID(d) :: d_step { !gone[i] && (open[i] & BIT(d)) && !DECLARED(d) \
  && (CANNOT(0, d) || CANNOT(1, d) || CANNOT(2, d)) -> \
    printf("%d drops %d\n", i, d); open[i] = open[i] & ~BIT(d); relast(i) }

/* A member learns that all have promised. What all members have then passes: that is a theorem, not a rule. */
#define LEMMA(q, d) (gone[q] || !(M[d] & ID(q)) || KEY(adopted[q]) > KEY(d) || CLEAN(q, d))
#define ADOPT(d) :: d_step { !gone[i] && (open[i] & BIT(d)) && (DECLARED(d) || OFF(ALONE)) -> \
    printf("%d adopts %d\n", i, d); assert(LEMMA(0, d) && LEMMA(1, d) && LEMMA(2, d)); \
    adopted[i] = (KEY(d) > KEY(adopted[i]) -> d : adopted[i]); open[i] = open[i] & ~BIT(d); settle(i); relast(i) }

/* What comes before what is obeyed is open no more. */
inline settle(i) {
  for (x : 1 .. ND) {
    if :: KEY(x) <= KEY(adopted[i]) -> open[i] = open[i] & ~BIT(x) :: else fi
  }
}

#define FORGET(d) :: d_step { !gone[i] && d <= nd && forgot[i] != d && adopted[i] == d -> \
    printf("%d forgets beneath %d\n", i, d); forgot[i] = d; hasB[d] = 1 }

/* Others learn of a declaration by its baseline. The heaviest counts. */
#define HEAVIER(i, d) (OFF(NO_ORDER) -> adopted[i] == 0 : KEY(d) > KEY(adopted[i]))
#define OTHERS(i, d) (!gone[i] && d <= nd && hasB[d] && !(open[i] & BIT(d)) && HEAVIER(i, d))
#define FITS(i, d) (CLEAN(i, d) && (OFF(BACK) || SUB(H[adopted[i]], H[d])) && !open[i])
/* Some of the horizon can never be imported here. */
#define BARRED(i, d) ((H[d] & ~V[i] & lost) || !ALL(H[d] & ~V[i], H[adopted[i]]))
#define FOLLOW(d) :: d_step { OTHERS(i, d) && FITS(i, d) && (OFF(EARLY) || SUB(H[d], V[i])) -> \
    printf("%d follows %d\n", i, d); adopted[i] = d; last[i] = d; open[i] = 0 }
#define MUST(i, d) (!OFF(NO_RETURN) && OTHERS(i, d) && (!FITS(i, d) || BARRED(i, d)))
#define RETURN(d) :: d_step { MUST(i, d) && gen[i] < NG - 1 && nt < NT -> \
    printf("%d comes back by %d\n", i, d); comeBack(i, d) } \
  :: d_step { MUST(i, d) && (gen[i] == NG - 1 || nt == NT) && !reached -> reached = 1 }

/* A device is lost, and with it what nobody else has. */
inline lose(i) {
  gone[i] = 1;
  all = 0;
  for (x : 0 .. NP - 1) {
    if :: x != i -> all = all | V[x] :: else fi
  }
  for (x : 1 .. ND) {
    if :: hasB[x] -> all = all | H[x] :: else fi
  }
  lost = lost | (V[i] & ~all);
  x = 0; all = 0
}

proctype Device(byte i) {
end:
  do
  :: d_step { !gone[i] && nw < NW && nt < NT -> write(i) }
  IMPORT(0) IMPORT(1) IMPORT(2) IMPORT(3) IMPORT(4) IMPORT(5)
  PROPOSE(1) PROPOSE(2) PROPOSE(3)
#ifndef TWO
  PROPOSE(4) PROPOSE(5) PROPOSE(6) PROPOSE(7)
#endif
#if NP > 3
  PROPOSE(8) PROPOSE(9) PROPOSE(10) PROPOSE(11) PROPOSE(12) PROPOSE(13) PROPOSE(14) PROPOSE(15)
#endif
  LEAVEOUT(0) LEAVEOUT(1) LEAVEOUT(2) LEAVEOUT(3) LEAVEOUT(4) LEAVEOUT(5) LEAVEOUT(6) LEAVEOUT(7) LEAVEOUT(8)
  PROMISE(1) PROMISE(2) PROMISE(3) PROMISE(4)
  VOID(1) VOID(2) VOID(3) VOID(4)
  ADOPT(1) ADOPT(2) ADOPT(3) ADOPT(4)
  FORGET(1) FORGET(2) FORGET(3) FORGET(4)
  FOLLOW(1) FOLLOW(2) FOLLOW(3) FOLLOW(4)
  RETURN(1) RETURN(2) RETURN(3) RETURN(4)
  :: d_step { nd == ND && open[i] && !DECLARED(last[i]) && !reached -> reached = 1 }
#ifdef LOSS
  :: d_step { i == LOSS && !gone[i] -> printf("%d is lost\n", i); lose(i) }
#endif
  od
}

/* What two devices come to. */
inline agree(i, j) {
  if
  :: gone[i] || gone[j] -> skip
  :: else -> assert(V[i] == V[j])
  fi
}

/* (c) Each write that was made is known to every device, shown or in its conflicts; of a device that is lost,
 * each that another had imported. */
inline whole(i) {
  all = 0;
  for (x : 0 .. NT - 1) {
    if :: V[i] & BIT(x) -> all = all | item[x] :: else fi
  }
  for (x : 0 .. NT - 1) {
    assert(gone[i] || x >= nt || again[x] || (all & BIT(x))
#ifdef LOSS
      || (aid[x] % NP == LOSS && gone[LOSS] && !(taken & BIT(x)))
#endif
    )
  }
  x = 0; all = 0
}

/* (d) Where nothing can happen any more, all devices are equal and have everything. */
active proctype End() {
end:
  timeout;
  d_step {
    if
    :: reached -> skip
    :: else ->
      agree(0, 1); agree(1, 2); agree(0, 2);
#if NP > 3
      agree(0, 3); agree(1, 3); agree(2, 3); whole(3);
#endif
      whole(0); whole(1); whole(2)
    fi
  }
}

init {
  atomic {
    c_code { mutation = getenv("MUTATION") ? atoi(getenv("MUTATION")) : 0; };
    shown[0] = NOTHING; shown[1] = NOTHING; shown[2] = NOTHING;
#if NP > 3
    shown[3] = NOTHING;
#endif
    run Device(0); run Device(1);
#ifdef TWO
    gone[2] = 1
#else
    run Device(2)
#endif
#if NP > 3
    ; run Device(3)
#endif
  }
}
