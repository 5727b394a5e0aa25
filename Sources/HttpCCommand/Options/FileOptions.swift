import ArgumentParser
import HttpC
import HttpCTerminal
import HttpConvFormats

/// The destinations of bodies and heads, and limits of their size.
struct FileOptions: ParsableArguments {
    @Option(
        name: [.customShort("o", allowingJoined: true), .customLong("output")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Writes the body to a file, which appears complete or not at all. One for each URL.", valueName: "file"))
    var outputs: [String] = []

    @Flag(
        name: [.customShort("O"), .customLong("remote-name")],
        help: "Writes the body to a file named after the last part of the URL's path. One for each URL.")
    var remoteNames: Int

    @Flag(name: .customLong("remote-name-all"), help: "As -O for every URL.")
    var allRemoteNames = false

    @Flag(
        name: [.customShort("J"), .customLong("remote-header-name")],
        help:
            "With -O: the name that the server gives, without its path. Existing files are not replaced. A name given by -o is kept."
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
            "The largest body that is accepted, counted as received and as unpacked, such as 200K, 3M or 1G. 0 means no limit. A larger body ends with 63.",
            valueName: "bytes"))
    var maximumFileSize: ByteLimit?

    @Option(
        name: [.customShort("C", allowingJoined: true), .customLong("continue-at")], parsing: .unconditional,
        help: ArgumentHelp(
            "With '-' resumes an interrupted download (-o, -O) if the resource is unchanged; with a number skips that many bytes and appends the rest to the file.",
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

extension FileOptions {
    /// The destinations of all URLs, in their order.
    func destinations(of urls: [TargetURL]) throws(CommandFailure) -> [TransferDestination] {
        if remoteNames > 0, !outputs.isEmpty {
            throw CommandFailure(
                .usage,
                "-o and -O exclude each other: use -o for each URL, or --remote-name-all with -o for the first ones.")
        }
        guard !outputs.contains("") else {
            throw CommandFailure(.usage, "-o needs the name of a file; '-' is standard output.")
        }
        var destinations: [TransferDestination] = []
        var names: Set<String> = []
        for (index, url) in urls.enumerated() {
            if index < outputs.count {
                let output = outputs[index]
                destinations.append(
                    output == "-"
                        ? .standardOutput(takesAnything: true) : .file(TransferDestination.path(output, in: directory)))
            } else if allRemoteNames || outputs.isEmpty && index < remoteNames {
                destinations.append(try remote(url, &names))
            } else {
                destinations.append(.standardOutput())
            }
        }
        return destinations
    }

    private func remote(
        _ url: TargetURL, _ names: inout Set<String>
    ) throws(CommandFailure) -> TransferDestination {
        let name = RemoteName.of(url)
        if headerName {
            return .named(directory: directory, otherwise: name, replacesFiles: replacesFiles)
        }
        guard let name else {
            throw CommandFailure(.outputFailed, "The URL has no file name for -O: use -o.")
        }
        guard names.insert(name).inserted else {
            throw CommandFailure(
                .usage, "Two URLs end in \"\(TerminalText.sanitise(name, limit: 60))\": name their files with -o.")
        }
        return .file(TransferDestination.path(name, in: directory))
    }

    /// Warnings about options without effect, which curl accepts as well.
    func warnings(count: Int) -> [String] {
        let surplus = max(outputs.count, remoteNames) - count
        let isUnnamed = headerName && !allRemoteNames && remoteNames == 0
        return [
            surplus > 0 ? "There are more of -o or -O than URLs: the last \(surplus) of them do nothing." : nil,
            isUnnamed ? "-J changes the file name that -O uses. Without -O it does nothing." : nil,
        ].compactMap { $0 }
    }

    /// The place of -C; nil without -C, and for 0, which is the beginning.
    var continuation: ContinueOption? {
        get throws(CommandFailure) {
            try continueAt.flatMap { text throws(CommandFailure) in try ContinueOption(text) }
        }
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
