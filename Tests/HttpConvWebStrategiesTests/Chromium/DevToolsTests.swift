#if os(Linux)
import Foundation
import Glibc
import HttpConvAuthFlows
import HttpConvFormats
import Testing

@testable import HttpConvWebStrategies

/// The messages of the DevTools protocol, without a browser.
@Suite(.timeLimit(.minutes(1))) struct DevToolsTests {
    /// The browser writes half of a surrogate pair as it is, and a backslash before a `u` as an escape of its own.
    @Test(arguments: [
        (#"x\ud83d"#, "x\u{fffd}"), (#"\udd12x"#, "\u{fffd}x"), (#"\ud83d\ud83d\udd12\u00e9"#, "\u{fffd}🔒é"),
        (#"\ud83d\n\uDD12"#, "\u{fffd}\n\u{fffd}"), (#"\\ud83d\ud83d"#, #"\ud83d"# + "\u{fffd}"),
    ])
    func halfASurrogatePairIsReplaced(escaped: String, text: String) throws {
        let message = try DevToolsMessage.read(Array(#"{"id":1,"result":{"text":"\#(escaped)"}}"#.utf8))
        #expect(message.result?["text"]?.text == text)
        let event = try DevToolsMessage.read(Array(#"{"method":"m","params":{"\#(escaped)":1}}"#.utf8))
        #expect(event.params?[text] == .integer(1))
    }

    /// A call does not wait for an answer that has come.
    @Test func anAnswerThatCannotBeReadFailsTheCall() async throws {
        var sockets: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &sockets) == 0)
        let connection = try await DevToolsConnection.open(sockets[0])
        let browser = sockets[1]
        Thread.detachNewThread {
            // The command, up to its end.
            var byte: UInt8 = 1
            while byte != 0, read(browser, &byte, 1) == 1 {}
            let answer = Array(#"{"id":1,"result":{},"error":{"message":1}}"#.utf8) + [0]
            _ = write(browser, answer, answer.count)
        }
        let error = await #expect(throws: WebLoginError.self) {
            try await connection.call("Browser.getVersion", within: .seconds(50))
        }
        close(browser)
        #expect(error?.code == .browserFailed && error?.message.contains("could not be read") == true)
        await connection.close()
    }

    /// A browser without its pipe would close, and send the requests that it holds (security rule S14).
    @Test func aMessageBeyondTheLimitLeavesThePipeOpen() async throws {
        var sockets: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &sockets) == 0)
        let connection = try await DevToolsConnection.open(sockets[0])
        let browser = sockets[1]
        Thread.detachNewThread {
            let part = [UInt8](repeating: 0x78, count: 1 << 16)
            while send(browser, part, part.count, CInt(MSG_NOSIGNAL)) > 0 {}
            close(browser)
        }
        for await _ in connection.events {}
        #expect(!connection.isClosedByBrowser)
        let error = await #expect(throws: WebLoginError.self) { try await connection.call("Browser.getVersion") }
        #expect(error?.code == .browserFailed)
        var byte: UInt8 = 0
        let (count, reason) = (recv(browser, &byte, 1, CInt(MSG_DONTWAIT)), errno)
        #expect(count == -1 && reason == EAGAIN)
        await connection.close()
    }
}
#endif
