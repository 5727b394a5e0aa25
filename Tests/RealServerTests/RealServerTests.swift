import Testing

/// Tests against independent servers. They run one at a time, so that two servers suffice.
@Suite(.serialized, .timeLimit(.minutes(3)))
enum RealServerTests {}
