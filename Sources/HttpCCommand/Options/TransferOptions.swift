import ArgumentParser

/// The options for several transfers, their rate, and retries.
struct TransferOptions: ParsableArguments {
    @Flag(name: [.customShort("Z"), .customLong("parallel")], help: "Several URLs at once, with one login for all.")
    var isParallel = false

    @Option(
        name: .customLong("parallel-max"),
        help: ArgumentHelp("How many at once with -Z.", valueName: "number"))
    var maximumParallel = 50

    @Option(
        name: .customLong("limit-rate"),
        help: ArgumentHelp("Bytes a second at most, each way and for each URL, such as 200K.", valueName: "rate"))
    var rateLimit: ByteLimit?

    @Option(
        name: .customLong("retry"),
        help: ArgumentHelp(
            "Tries again so many times where that is safe: no connection could be made, or a GET, PUT or the like failed or got 408, 429, 500, 502, 503 or 504.",
            valueName: "times"))
    var retries = 0

    @Option(
        name: .customLong("retry-delay"),
        help: ArgumentHelp(
            "Seconds between tries; 0 or none: 1, 2, 4 …, or the server's Retry-After.", valueName: "seconds"))
    var retryDelay: Double?

    @Option(
        name: .customLong("retry-max-time"),
        help: ArgumentHelp("Seconds after which nothing is tried again.", valueName: "seconds"))
    var retryTime: Double?

    func validate() throws {
        if maximumParallel < 1 { throw ValidationError("--parallel-max needs a number from 1.") }
        if retries < 0 { throw ValidationError("--retry needs a number from 0.") }
        try ServerOptions.check(retryDelay, "--retry-delay")
        try ServerOptions.check(retryTime, "--retry-max-time")
    }
}
