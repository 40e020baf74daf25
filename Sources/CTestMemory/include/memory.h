#ifndef TRIBUTARY_TEST_MEMORY_H
#define TRIBUTARY_TEST_MEMORY_H

// Nothing to call: that it is linked is enough.

#endif
