import ArgumentParser
import HttpCTerminal

/// The request's body: data, a form, or a file.
struct BodyOptions: ParsableArguments {
    @Option(
        name: [.customShort("d", allowingJoined: true), .customLong("data")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Posts data; @file reads a file without its line ends, @- standard input. Several are joined with &.",
            valueName: "data"))
    var data: [String] = []

    @Option(
        name: .customLong("data-binary"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("As -d, but the bytes of a file are sent as they are.", valueName: "data"))
    var dataBinary: [String] = []

    @Option(
        name: .customLong("data-raw"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("As -d, but an @ means nothing.", valueName: "data"))
    var dataRaw: [String] = []

    @Option(
        name: .customLong("data-urlencode"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "As -d, percent-encoded: text, =text, name=text, @file or name@file.", valueName: "data"))
    var dataEncoded: [String] = []

    @Option(
        name: .customLong("json"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Posts JSON as it is, and asks for JSON; @file and @- as with -d. Several are put together.",
            valueName: "data"))
    var json: [String] = []

    @Option(
        name: [.customShort("F", allowingJoined: true), .customLong("form")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Posts a form (multipart/form-data): name=text, name=@file to upload a file, name=<file for its text; then ;type=… and ;filename=….",
            valueName: "name=content"))
    var form: [String] = []

    @Option(
        name: .customLong("form-string"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("As -F, but @, < and ; have no special meaning in the text.", valueName: "name=text"))
    var formStrings: [String] = []

    @Flag(name: [.customShort("G"), .customLong("get")], help: "Puts the data of -d into the URL's query.")
    var dataInQuery = false

    @Option(
        name: [.customShort("T", allowingJoined: true), .customLong("upload-file")],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Puts a file; '-' is standard input, which can be sent only once. A URL whose path ends in / gets its name. One for each URL.",
            valueName: "file"))
    var uploads: [String] = []

    /// The number of times that standard input is read for bodies.
    var standardInputReaders: Int {
        (data + dataBinary + json).count { $0 == "@-" }
            + dataEncoded.count { DataArgument.encodedFile($0) == "-" }
            + uploads.count { $0 == "-" || $0 == "." }
            + form.flatMap(FormArgument.files).count { $0 == "-" }
    }

    /// The body for each URL: a -T belongs to one URL, in order; data is for all.
    func payloads(count: Int) throws(CommandFailure) -> [RequestPayload] {
        let common = try RequestPayload(self)
        if uploads.count > count { throw CommandFailure(.usage, "There are more of -T than URLs.") }
        if count > 1, common.body?.isRestartable == false {
            throw CommandFailure(
                .usage, "Standard input and pipes can be sent to one URL only: give one URL, or a file.")
        }
        // As with curl, an empty name stands for no file.
        let files = try uploads.map { path throws(CommandFailure) in
            path.isEmpty ? common : try RequestPayload(upload: path)
        }
        return files + Array(repeating: common, count: count - files.count)
    }
}
