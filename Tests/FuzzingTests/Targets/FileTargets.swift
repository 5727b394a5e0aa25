import Foundation
import HttpConvFormats

@testable import HttpCClient
@testable import HttpCTerminal
@testable import HttpConvLogon
@testable import HttpConversation

/// Files of the command.
let fileTargets: [FuzzTarget] = [
    FuzzTarget("profiles", profiles), FuzzTarget("netrc", netrc), FuzzTarget("jars", jars),
    FuzzTarget("options", options),
]

/// The options of a logon.
private func options(_ bytes: [UInt8]) throws {
    let node = try? OptionNode.read(Data(bytes))
    if let node {
        var left = OptionNode.maximumValues
        try measure(node, depth: 0, &left)
        try requireEqual(try OptionNode.read(Data(bytes)), node, "the same bytes are the same options")
    }
    do throws(LogonError) { _ = try LogonOptions(file: Data(bytes)) } catch {
        try require(!error.message.hasControls, "what is shown has no control characters")
    }
}

private func measure(_ node: OptionNode, depth: Int, _ left: inout Int) throws {
    left -= 1
    try require(left >= 0 && depth <= OptionNode.maximumDepth, "options are bounded in number and depth")
    switch node {
    case .list(let elements): for element in elements { try measure(element, depth: depth + 1, &left) }
    case .group(let members): for member in members.values { try measure(member, depth: depth + 1, &left) }
    case .flag, .number, .text: break
    }
}

private func profiles(_ bytes: [UInt8]) throws {
    let parser = ProfileParser(
        shownPath: "config.toml", directory: "/home/somebody/.config", home: "/home/somebody", isPrivate: true)
    let read = try parsed { () throws(CommandFailure) in try parser.parse(bytes.text) }
    for profile in read ?? [] { try require(ProfileName.isValid(profile.name), "a name becomes a directory's") }
}

private func netrc(_ bytes: [UInt8]) throws {
    let read = try parsed { () throws(CommandFailure) in try NetrcParser.parse(bytes, shownPath: ".netrc") }
    guard let read else { return }
    for entry in read {
        guard let user = entry.user, let password = user.password else { continue }
        try require(!user.name.hasControls && !password.value.hasControls, "a login can be sent")
    }
    _ = NetrcFile(entries: read).user(for: "server.example", allowsDefault: true)
}

/// The parsed value; nil if it was refused with a printable message.
private func parsed<Value>(_ read: () throws(CommandFailure) -> Value) throws -> Value? {
    do throws(CommandFailure) { return try read() } catch {
        try require(!error.message.hasControls, "what is shown has no control characters")
        return nil
    }
}

/// A cookie jar in either format.
private func jars(_ bytes: [UInt8]) throws {
    let list = PublicSuffixList(parsing: "com\nco.uk\n*.ck\n!www.ck\n")
    let read: [Cookie]
    if let snapshot = CookieFile.decodeJSON(Data(bytes)) {
        read = snapshot.cookies.compactMap { CookieRules.checked($0, readBackWith: list) }
    } else {
        read = NetscapeCookies.parse(bytes.text, suffixes: list)
    }
    for cookie in read { try requireEqual(CookieRules.checked(cookie), cookie, "what is read may be stored") }
    let file = NetscapeCookies.format(read)
    let again = NetscapeCookies.parse(file, suffixes: list)
    try requireEqual(NetscapeCookies.format(again), file, "a jar that is written is read back as it is")
    let store = CookieStore(CookieStore.Snapshot(cookies: read), suffixes: list)
    for cookie in store.snapshot.cookies {
        guard let target = try? TargetURL("https://\(cookie.domain)\(cookie.path)") else { continue }
        try require(
            !store.cookies(for: target).contains { ($0.name + $0.value).hasControls }, "no cookie ends the field")
    }
}
