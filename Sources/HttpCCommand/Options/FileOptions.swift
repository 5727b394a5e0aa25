import ArgumentParser
import HttpConvNumbers

/// The destinations of bodies and heads, and limits of their size.
struct FileOptions: ParsableArguments {
    @Option(
        name: [.customShort("o", allowingJoined: true), .customLong("output")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Writes the body to a file, which appears complete or not at all. One for each URL.", valueName: "file"))
    var outputs: [String] = []

    @Flag(
        name: [.customShort("O"), .customLong("remote-name")],
        help: "Writes the body to a file called as the end of the URL. One for each URL.")
    var remoteNames: Int

    @Flag(name: .customLong("remote-name-all"), help: "As -O for every URL.")
    var allRemoteNames = false

    @Flag(
        name: [.customShort("J"), .customLong("remote-header-name")],
        help:
            "With -O: the name that the server gives, without its path. No file that is there is replaced. A name of -o stays."
    )
    var headerName = false

    @Flag(name: .customLong("clobber"), help: "Lets -J replace a file.")
    var replacesFiles = false

    @Option(
        name: .customLong("output-dir"),
        help: ArgumentHelp("The directory of the files of -o and -O.", valueName: "dir"))
    var directory: String?

    @Option(
        name: [.customShort("D", allowingJoined: true), .customLong("dump-header")], parsing: .unconditional,
        help: ArgumentHelp("Writes the heads of the answers to a file; '-' is standard output.", valueName: "file"))
    var headFile: String?

    @Option(
        name: .customLong("max-filesize"),
        help: ArgumentHelp(
            "The largest body that is taken, sent or unpacked, such as 200K, 3M or 1G; 0 means any (63).",
            valueName: "bytes"))
    var maximumFileSize: ByteLimit?

    @Option(
        name: [.customShort("C", allowingJoined: true), .customLong("continue-at")], parsing: .unconditional,
        help: ArgumentHelp(
            "With '-' goes on with a download that broke off (-o, -O), where the resource is still the same; with a number leaves out so many bytes and appends the rest to the file.",
            valueName: "where"))
    var continueAt: String?

    @Option(
        name: [.customShort("r", allowingJoined: true), .customLong("range")], parsing: .unconditional,
        help: ArgumentHelp("Asks for a part of the body, such as 0-499, 500- or -100.", valueName: "range"))
    var range: String?

    /// Whether the bodies of all URLs go into files.
    func areFiles(_ count: Int) -> Bool {
        allRemoteNames || remoteNames >= count || outputs.count >= count && !outputs.prefix(count).contains("-")
    }
}

/// A number of bytes in curl's notation: `500`, `200K`, `3m`, `1G`; the units are powers of 1024.
struct ByteLimit: ExpressibleByArgument, Equatable, Sendable {
    let bytes: Int

    /// Nil for an invalid number, or one that is too large.
    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        guard let number = PeerNumber.integer(digits, in: 0...Int.max),
            let unit = Self.units[argument.dropFirst(digits.count).lowercased()]
        else {
            return nil
        }
        let (product, overflows) = number.multipliedReportingOverflow(by: unit)
        guard !overflows else { return nil }
        bytes = product
    }

    private static let units = ["": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30]
}
