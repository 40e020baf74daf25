#ifndef TRIBUTARY_CPLATFORM_H
#define TRIBUTARY_CPLATFORM_H

#include <getopt.h>
#include <stddef.h>

// What the C library keeps in global variables, which Swift does not let several threads share.
struct tributary_word {
  int code;             // what getopt_long returned
  const char *argument; // of the option, or NULL
  int option;           // the option at fault, or 0
  int next;             // the index of the word after this one
};

static inline void tributary_getopt_reset(void) {
  optind = 0; // GNU: starts anew, and reads the environment again
  opterr = 0;
}

static inline struct tributary_word tributary_getopt(int count, char *const *words,
                                                     const char *letters,
                                                     const struct option *names) {
  optarg = NULL;
  optopt = 0;
  int code = getopt_long(count, words, letters, names, NULL);
  struct tributary_word word = {code, optarg, optopt, optind};
  return word;
}

#endif
