// https://www.gnu.org/software/libmicrohttpd/manual/
#include "http.h"

#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static struct {
  __typeof__(MHD_start_daemon) *start_daemon;
  __typeof__(MHD_stop_daemon) *stop_daemon;
  __typeof__(MHD_get_daemon_info) *get_daemon_info;
  __typeof__(MHD_lookup_connection_value) *lookup_connection_value;
  __typeof__(MHD_create_response_from_buffer) *create_response_from_buffer;
  __typeof__(MHD_add_response_header) *add_response_header;
  __typeof__(MHD_queue_response) *queue_response;
  __typeof__(MHD_destroy_response) *destroy_response;
  const char *problem;
} library;

static pthread_once_t loading = PTHREAD_ONCE_INIT;

static void load(void) {
  void *handle = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    library.problem = "the library libmicrohttpd.so.12 is missing; apt-get install libmicrohttpd-dev";
    return;
  }
#define FIND(name) \
  if (!(library.name = (__typeof__(library.name))dlsym(handle, "MHD_" #name))) \
    library.problem = "libmicrohttpd.so.12 lacks MHD_" #name "; install the one of this release of Debian"
  FIND(start_daemon);
  FIND(stop_daemon);
  FIND(get_daemon_info);
  FIND(lookup_connection_value);
  FIND(create_response_from_buffer);
  FIND(add_response_header);
  FIND(queue_response);
  FIND(destroy_response);
#undef FIND
}

static _Thread_local const char *problem = "nothing was started";

const char *tributary_http_problem(void) { return problem; }

struct tributary_http_server {
  struct MHD_Daemon *daemon;
  tributary_http_handler handler;
  void *context;
};

static enum MHD_Result handle(
    void *context, struct MHD_Connection *connection, const char *path, const char *method,
    const char *version, const char *upload, size_t *upload_count, void **state) {
  (void)version;
  (void)upload;
  tributary_http_server *server = context;
  // The first call comes before the body, which nothing here needs.
  if (!*state) {
    *state = server;
    return MHD_YES;
  }
  if (*upload_count > 0) {
    *upload_count = 0;
    return MHD_YES;
  }
  tributary_http_request request = {
      .method = method,
      .path = path,
      .host = library.lookup_connection_value(connection, MHD_HEADER_KIND, "Host"),
      .authorization =
          library.lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization"),
      .connection = connection,
      .result = MHD_NO,
  };
  server->handler(server->context, &request);
  return (enum MHD_Result)request.result;
}

tributary_http_server *tributary_http_start(
    const struct sockaddr *address, tributary_http_handler handler, void *context) {
  pthread_once(&loading, load);
  problem = library.problem;
  if (problem) return NULL;
  tributary_http_server *server = calloc(1, sizeof *server);
  if (!server) {
    problem = strerror(ENOMEM);
    return NULL;
  }
  server->handler = handler;
  server->context = context;
  unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION;
  if (address->sa_family == AF_INET6) flags |= MHD_USE_IPv6;
  // Signals of the process go to other threads; those of this library inherit the mask. Faults must reach their handlers.
  sigset_t blocked, before;
  sigfillset(&blocked);
  static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&blocked, faults[i]);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  errno = 0;
  server->daemon = library.start_daemon(
      flags, 0, NULL, NULL, &handle, server, MHD_OPTION_SOCK_ADDR, address,
      // A browser has six connections open. One that says nothing for half a minute makes room.
      MHD_OPTION_CONNECTION_LIMIT, 24u, MHD_OPTION_CONNECTION_TIMEOUT, 30u, MHD_OPTION_END);
  int code = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (server->daemon) return server;
  switch (code) {
    case EADDRINUSE: problem = "something else listens there; end it, or choose another port"; break;
    case EADDRNOTAVAIL: problem = "this machine has no such address; choose one that `ip address` shows"; break;
    case EACCES: problem = "ports below 1024 are for the administrator; choose a larger one"; break;
    default: problem = code ? strerror(code) : "the server did not start"; break;
  }
  free(server);
  return NULL;
}

unsigned tributary_http_port(tributary_http_server *server) {
  const union MHD_DaemonInfo *info =
      library.get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info ? info->port : 0;
}

void tributary_http_stop(tributary_http_server *server) {
  library.stop_daemon(server->daemon);
  free(server);
}

const char *tributary_http_argument(const tributary_http_request *request, const char *name) {
  return library.lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);
}

void tributary_http_answer(
    tributary_http_request *request, unsigned status, const char *type, const char *policy,
    const void *bytes, size_t count) {
  struct MHD_Response *response =
      library.create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
  if (!response) return;
  library.add_response_header(response, "Content-Type", type);
  library.add_response_header(response, "Content-Security-Policy", policy);
  library.add_response_header(response, "X-Content-Type-Options", "nosniff");
  library.add_response_header(response, "Referrer-Policy", "no-referrer");
  library.add_response_header(response, "Cache-Control", "no-store");
  if (status == MHD_HTTP_UNAUTHORIZED) {
    library.add_response_header(response, "WWW-Authenticate", "Bearer");
  }
  request->result = library.queue_response(request->connection, status, response);
  library.destroy_response(response);
}
