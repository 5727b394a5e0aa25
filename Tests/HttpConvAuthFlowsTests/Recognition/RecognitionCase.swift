import Foundation
import HTTPTypes
import HttpConversation
import Testing

@testable import HttpConvAuthFlows

/// The answers that a request gets: redirects, then a final answer.
struct RecognitionCase: Sendable, CustomTestStringConvertible {
    let name: String
    let asked: String
    /// Each with its status, its `Location`, and further lines of its head.
    var redirects: [(status: Int, location: String, fields: [String])] = []
    var status = 200
    var type = "text/html; charset=utf-8"
    var fields: [String] = []
    var body = ""

    init(
        _ name: String, asking asked: String = "https://app.example/report", via redirects: [(Int, String)] = [],
        setting fields: [String] = [], status: Int = 200, type: String = "text/html; charset=utf-8",
        answering finalFields: [String] = [], _ body: String = ""
    ) {
        self.name = name
        self.asked = asked
        self.redirects = redirects.map { ($0.0, $0.1, fields) }
        self.status = status
        self.type = type
        self.fields = finalFields
        self.body = body
    }

    var testDescription: String { name }

    /// The recognised login: of the first redirect that is certain, else of the final answer.
    func recognize() throws -> RecognizedLogin? {
        var place = try TargetURL(asked)
        var recognition = LoginRecognition(of: place)
        for redirect in redirects {
            let destination = try place.resolving(redirect.location)
            var head = Self.head(redirect.status, redirect.fields)
            head.headerFields[.location] = redirect.location
            if let login = recognition.recognize(redirect: head, from: place, to: destination) { return login }
            place = destination
        }
        var head = Self.head(status, fields)
        if !type.isEmpty { head.headerFields[.contentType] = type }
        return LoginRecognition.recognize(challenge: head, at: place)
            ?? recognition.recognize(page: Array(body.utf8), of: head, at: place)
    }

    /// The same as the filter does it, which skips redirects that cannot lead to a login.
    func recognizeSkipping() throws -> RecognizedLogin? {
        let asked = try TargetURL(asked)
        var place = asked
        var recognition: LoginRecognition?
        for redirect in redirects {
            let destination = try place.resolving(redirect.location)
            let head = Self.head(redirect.status, redirect.fields)
            if recognition != nil || LoginRecognition.mayLead(head, to: destination) {
                var present = recognition ?? LoginRecognition(of: asked)
                if let login = present.recognize(redirect: head, from: place, to: destination) { return login }
                recognition = present
            }
            place = destination
        }
        var head = Self.head(status, fields)
        if !type.isEmpty { head.headerFields[.contentType] = type }
        let known = recognition ?? LoginRecognition(of: asked, redirectedTo: place)
        return LoginRecognition.recognize(challenge: head, at: place)
            ?? known.recognize(page: Array(body.utf8), of: head, at: place)
    }

    private static func head(_ status: Int, _ lines: [String]) -> HTTPResponse {
        var head = HTTPResponse(status: .init(code: status))
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else { continue }
            head.headerFields.append(HTTPField(name: name, value: parts[1].trimmingCharacters(in: .whitespaces)))
        }
        return head
    }
}
