import Foundation
import HttpC
import HttpConvFormats
import Testing

@testable import HttpConvWebStrategies

/// The call-backs of logins in WebKit's engine, as scripts/support/record-webkit has recorded them.
enum Recording {
    private static let logins: JSONValue? = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "recordings.json")
        return (try? Data(contentsOf: file)).flatMap { JSONValue(Array($0)) }?["logins"]
    }()

    static func events(of login: String) throws -> [WebKitEvent] {
        let calls = try #require(logins?[login]?.elements, "\(login)")
        return calls.compactMap { event($0) }
    }

    /// The question for a certificate of a login, and the events before it.
    static func certificateRequest(of login: String) throws -> (before: [WebKitEvent], challenge: WebKitChallenge) {
        let calls = try #require(logins?[login]?.elements, "\(login)")
        let at = try #require(calls.firstIndex { $0["method"]?.text == "client-certificate-requested" })
        let host = try #require(calls[at]["host"]?.text)
        let challenge = WebKitChallenge(
            method: .clientCertificate, host: host, port: 443, scheme: "https", realm: nil,
            isProxy: calls[at]["isProxy"]?.bool == true)
        return (calls[..<at].compactMap { event($0) }, challenge)
    }

    private static func event(_ call: JSONValue) -> WebKitEvent? {
        let url = call["url"]?.text
        switch call["call"]?.text {
        case "navigationAction":
            let frame: WebKitEvent.Frame =
                switch call["target"]?.text {
                case "main": .main
                case "frame": .other
                default: .new
                }
            return .navigationAction(
                url: url, method: call["method"]?.text, type: call["type"]?.number.map { Int($0) } ?? -1, frame: frame,
                isDownload: false)
        case "navigationResponse":
            return .navigationResponse(
                url: url, status: call["status"]?.number.map { Int($0) } ?? 0,
                isMainFrame: call["isMainFrame"]?.bool == true, canShow: call["canShow"]?.bool == true)
        case "started": return .started
        case "redirected": return .redirected(to: url)
        case "committed": return .committed(url: url)
        case "failed", "failedProvisionally":
            // WebKitGTK has names of its own for the domains.
            let code = call["code"]?.number.map { Int($0) } ?? 0
            let isPolicy = call["domain"]?.text == "WebKitPolicyError"
            return isPolicy
                ? .failed(domain: "WebKitErrorDomain", code: code)
                : .failed(domain: "NSURLErrorDomain", code: code == 302 ? -999 : -1004)
        case "createView": return .createView(url: url, method: call["method"]?.text)
        case "dialog": return .dialog(["confirm": .confirmation, "prompt": .prompt][call["kind"]?.text] ?? .alert)
        case "closed": return .closed
        case "processTerminated": return .processTerminated
        // The end of a page's loading decides nothing. Challenges have a call-back of their own.
        default: return nil
        }
    }
}

/// A view without WebKit: it notes what it is told, and has cookies and answers of scripts.
@MainActor
final class RecordedView: WebKitView {
    private(set) var loaded: [String] = []
    private(set) var isRemoved = false
    var stored: [Cookie] = []
    /// The answers to calls of scripts, in order.
    var answers: [String] = []
    let isShown: AsyncStream<Void>
    private let showing: AsyncStream<Void>.Continuation
    /// The calls of scripts, as they come.
    let called: AsyncStream<String>
    private let calling: AsyncStream<String>.Continuation

    init() {
        (isShown, showing) = AsyncStream.makeStream()
        (called, calling) = AsyncStream.makeStream()
    }

    func setCookie(_ cookie: Cookie) async { stored.append(cookie) }
    func cookies() async -> [Cookie] { stored }
    func show() {}
    func load(_ url: TargetURL) {
        loaded.append(url.absoluteString)
        showing.finish()
    }
    func remove() { isRemoved = true }
    func call(_ function: String, _ arguments: String) async -> String? {
        calling.yield(arguments)
        return answers.isEmpty ? nil : answers.removeFirst()
    }
}
