import Foundation
import HttpC
import HttpConversationNIO
import Testing

@testable import HttpCCommand
@testable import HttpCTerminal

@Suite struct HabitArgumentTests {
    @Test func filesAreListsOfFields() throws {
        let sandbox = try Sandbox()
        let path = try sandbox.write("X-A: 1\r\n\nX-B:\nX-C;\n  \nHost: app.example", to: "fields")
        let found = try HeaderArgument.expanded(["X-Z: 0", "@\(path)"])
        #expect(found == ["X-Z: 0", "X-A: 1", "X-B:", "X-C;", "Host: app.example"])
        #expect(try HeaderArgument.host(found)?.value == "app.example")
        let defaults: HTTPFields = [HTTPField.Name("X-B")!: "sent by itself"]
        let fields = try HeaderArgument.fields(found, defaults: defaults)
        #expect(fields.map { "\($0.name)=\($0.value)" } == ["X-Z=0", "X-A=1", "X-C="])
    }

    /// A form within a form would be sent as something else.
    @Test(arguments: ["a=(", "a=(;type=multipart/mixed", "a=(text", "=)"]) func formsWithinForms(text: String) throws {
        #expect { try FormArgument.parts(text) } throws: {
            let failure = $0 as? CommandFailure
            return failure?.status == .usage && failure?.message.contains("use --form-string") == true
        }
        #expect(throws: Never.self) { try FormArgument.field(text) }
    }

    @Test(arguments: ["a=)", "=)x", "a=\"(\"", "a=x(", "=v"]) func parenthesesInForms(text: String) throws {
        #expect(try FormArgument.parts(text).count == 1)
    }

    /// As with curl, 0 stands for no limit or the default.
    @Test func zeroIsNoLimit() throws {
        let options = ["-m", "--connect-timeout", "--retry-max-time", "--retry-delay", "--limit-rate"]
        let command = try RequestCommand.parse(options.flatMap { [$0, "0"] } + ["http://h/"])
        #expect(command.server.timeLimit == nil)
        let plan = try RequestPlan(command)
        #expect(plan.client.connection.connectTimeout == nil && plan.client.rateLimit == nil)
        #expect(plan.retryTime == nil && plan.retryDelay == nil)
        for value in ["-1", "1e9", "nan"] {
            #expect(throws: (any Error).self) { try RequestCommand.parse(["--max-time=\(value)", "http://h/"]) }
        }
    }

    /// As with curl; a file without a name is refused before anything is sent.
    @Test func emptyArguments() throws {
        let plan = try RequestPlan(try RequestCommand.parse(["-H", "", "-T", "", "-d", "x", "http://h/"]))
        #expect(plan.headers.isEmpty && plan.payloads.map(\.method) == [.post])
        let plain = try RequestPlan(try RequestCommand.parse(["-T", "", "http://h/"]))
        #expect(plain.payloads.allSatisfy { $0.method == .get && $0.body == nil })
        let nameless = try RequestCommand.parse(["-o", "", "http://h/"])
        #expect { try RequestPlan(nameless) } throws: { ($0 as? CommandFailure)?.status == .usage }
    }

    @Test func whatCannotBeReadIsNotSent() throws {
        #expect { try HeaderArgument.expanded(["@/nowhere/at/all"]) } throws: {
            ($0 as? CommandFailure)?.status == .inputFailed
        }
    }

    /// Text of a file whose bytes would change is refused.
    @Test func filesThatAreNoText() throws {
        let sandbox = try Sandbox()
        let path = sandbox.path("latin")
        try Data("X-A: 1\n\nX-B: ".utf8 + [0xE4]).write(to: URL(filePath: path))
        #expect { try HeaderArgument.expanded(["@\(path)"]) } throws: {
            let failure = $0 as? CommandFailure
            return failure?.status == .usage && failure?.message.contains("line 3 is not UTF-8") == true
        }
        let command = try RequestCommand.parse(["-G", "-d", "@\(path)", "http://h/"])
        #expect { try RequestPlan(command) } throws: { ($0 as? CommandFailure)?.status == .usage }
        let encoded = try RequestPlan(try RequestCommand.parse(["-G", "--data-urlencode", "a@\(path)", "http://h/"]))
        #expect(encoded.payloads.first?.query == "a=X-A%3A+1%0A%0AX-B%3A+%E4")
    }

    /// The second reader would get nothing: an upload would replace its resource by an empty one.
    @Test(arguments: [
        ["-H", "@-", "-d", "@-"], ["-H", "@-", "-T", "-"], ["-H", "@-", "-H", "@-"], ["-H", "@-", "--json", "@-"],
        ["-H", "@-", "-F", "a=@-"], ["-H", "@-", "--data-urlencode", "n@-"], ["-d", "@-", "-w", "@-"],
        ["-d", "@-", "-b", "-"], ["-d", "@-", "-d", "@-"], ["-T", "-", "-T", "-"], ["-T", ".", "-T", "-"],
        ["-F", "a=@-", "-F", "b=<-;type=x/y"], ["-F", "a=@f;type=x/y,-,\"-\""],
    ])
    func standardInputIsReadOnce(arguments: [String]) throws {
        let command = try RequestCommand.parse(arguments + ["http://h/", "http://i/"])
        #expect { try RequestPlan(command) } throws: {
            ($0 as? CommandFailure)?.message.contains("Standard input can be read only once") == true
        }
    }

    @Test(arguments: [
        ["-d", "@f"], ["--data-urlencode", "a=x@-"], ["-F", "a=x@-"], ["-F", "a=@-f"], ["-F", "a=\"@-\""],
        ["--data-raw", "@-"], ["--form-string", "a=@-"], ["-F", "a=@f;filename=-"],
    ])
    func theseReadNoStandardInput(arguments: [String]) throws {
        #expect(try RequestCommand.parse(arguments + ["http://h/"]).body.standardInputReaders == 0)
    }

    @Test(
        arguments: [
            ([], 60), (["-m", "5"], 60), (["-m", "300"], 300), (["-m", "0"], 60), (["--events"], 900), (["-N"], 900),
            (["-N", "-m", "5"], 900), (["--events", "-m", "3600"], 3600),
        ] as [([String], Int)])
    func silence(arguments: [String], seconds: Int) throws {
        let plan = try RequestPlan(try RequestCommand.parse(arguments + ["http://h/"]))
        #expect(plan.client.connection.silence == .seconds(seconds))
    }

    @Test(arguments: [["Host: a", "host: b"], ["Host:"], ["Host;"], ["Host: a b"], ["Host: a\r\nX: y"], ["Host: a/b"]])
    func hostsThatAreNone(arguments: [String]) {
        #expect { try HeaderArgument.host(arguments) } throws: { ($0 as? CommandFailure)?.status == .usage }
    }

    @Test(
        arguments: [
            ("h:1:127.0.0.1", "h", 1, ["127.0.0.1"]), ("+h:1:127.0.0.1,[::1]", "h", 1, ["127.0.0.1", "[::1]"]),
            ("h:443:::1", "h", 443, ["::1"]),
        ] as [(String, String, Int, [String])])
    func addressesForAHost(text: String, host: String, port: Int, addresses: [String]) throws {
        let argument = try ResolveArgument(text)
        #expect(argument.host == host && argument.port == port && argument.addresses == addresses)
        var configuration = NIOTransport.Configuration()
        try argument.apply(to: &configuration.addresses)
    }

    @Test(arguments: [
        "", "h", "h:1", "h:1:", ":1:127.0.0.1", "h:x:127.0.0.1", "*:443:127.0.0.1", "+*:443:127.0.0.1", "-h:1",
        "h:0:127.0.0.1",
        "h:99999:127.0.0.1", "h:1:x", "h:1:127.0.0.1,", "h..h:1:127.0.0.1", "localhost:1:192.0.2.1",
        "127.0.0.1:1:127.0.0.2",
        "[::1]:1:127.0.0.1",
    ])
    func addressesThatAreRefused(text: String) {
        #expect {
            var configuration = NIOTransport.Configuration()
            try ResolveArgument(text).apply(to: &configuration.addresses)
        } throws: { ($0 as? CommandFailure)?.status == .usage }
    }
}
