import Testing

/// Everything that is tried against Apache httpd, nginx and lighttpd; one test at a time, so that two servers suffice.
@Suite(.serialized, .timeLimit(.minutes(3)))
enum RealServerTests {}
