import ArgumentParser

/// What is shown, and where it goes.
struct OutputOptions: ParsableArguments {
    @Option(
        name: [.customShort("o", allowingJoined: true), .customLong("output")], parsing: .unconditional,
        help: ArgumentHelp("Writes the body to a file, which appears complete or not at all.", valueName: "file"))
    var output: String?

    @Option(
        name: .customLong("max-filesize"),
        help: ArgumentHelp(
            "The largest body that is taken, sent or unpacked, such as 200K, 3M or 1G; 0 means any (63).",
            valueName: "bytes"))
    var maximumFileSize: ByteLimit?

    @Option(
        name: [.customShort("C", allowingJoined: true), .customLong("continue-at")], parsing: .unconditional,
        help: ArgumentHelp(
            "With '-' goes on with a download that broke off (-o), where the resource is still the same.",
            valueName: "where"))
    var continueAt: String?

    @Option(
        name: [.customShort("r", allowingJoined: true), .customLong("range")], parsing: .unconditional,
        help: ArgumentHelp("Asks for a part of the body, such as 0-499, 500- or -100.", valueName: "range"))
    var range: String?

    @Flag(name: [.customShort("N"), .customLong("no-buffer")], help: "Prints what comes as it comes (always so).")
    var noBuffer = false

    @Flag(name: [.customShort("i"), .customLong("include")], help: "Prints the head of the answer before its body.")
    var include = false

    @Flag(name: [.customShort("I"), .customLong("head")], help: "Asks for the head only and prints it.")
    var head = false

    @Flag(
        name: [.customShort("v"), .customLong("verbose")],
        help: "Shows the conversation as it unfolds, without its secrets.")
    var verbose = false

    @Flag(name: [.customShort("s"), .customLong("silent")], help: "No progress bar and no messages.")
    var silent = false

    @Flag(name: [.customShort("S"), .customLong("show-error")], help: "Shows messages although -s was given.")
    var showErrors = false

    @Flag(
        name: [.customShort("f"), .customLong("fail")],
        help: "An answer of 400 or more is a failure (22), its body is not printed.")
    var fail = false

    @Option(
        name: [.customShort("w", allowingJoined: true), .customLong("write-out")], parsing: .unconditional,
        help: ArgumentHelp(
            "Prints a text after the body; knows %{http_code}, %{url_effective}, %{size_download}, %{http_version}, %{num_attempts}.",
            valueName: "text"))
    var writeOut: String?
}

/// A limit in bytes as curl takes it: `500`, `200K`, `3m`, `1G`; the units are powers of 1024.
struct ByteLimit: ExpressibleByArgument, Equatable, Sendable {
    let bytes: Int

    /// Nil for what is no such number, or too large for one.
    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits), let unit = Self.units[argument.dropFirst(digits.count).lowercased()] else {
            return nil
        }
        let (product, overflows) = number.multipliedReportingOverflow(by: unit)
        guard !overflows else { return nil }
        bytes = product
    }

    private static let units = ["": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30]
}
