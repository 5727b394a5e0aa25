#if PostgreSQL
/// The pauses between attempts to reach the database.
enum RetryPause {
    /// The pause after a number of failures in succession: 25 ms, doubled with each of them up to 1.6 s, and up to half
    /// of it less at random.
    static func after(failures: Int) -> Duration {
        .milliseconds(25) * (1 << min(failures, 6)) * Double.random(in: 0.5...1)
    }
}
#endif
