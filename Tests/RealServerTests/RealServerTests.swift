import Testing

/// Everything that is tried against servers that nobody here wrote; one test at a time, so that two servers suffice.
@Suite(.serialized, .timeLimit(.minutes(3)))
enum RealServerTests {}
