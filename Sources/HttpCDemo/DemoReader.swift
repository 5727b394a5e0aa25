import HttpC
import Synchronization
import TestLandscape

/// A person at a terminal who answers the questions of login pages, and counts the pages.
final class DemoReader: FormPrompter {
    private let name: String
    private let password: String
    private let landscape: Landscape
    private let count = Mutex(0)

    init(_ name: String, _ password: String, at landscape: Landscape) {
        self.name = name
        self.password = password
        self.landscape = landscape
    }

    var pages: Int { count.withLock { $0 } }

    func show(_ page: FormPage) async throws { count.withLock { $0 += 1 } }

    func enter(
        _ label: String, for origin: Origin, prefilled: String, isSecret: Bool
    ) async throws -> Redacted<String> {
        if label.lowercased().contains("code") { return Redacted(landscape.passcode(of: name) ?? "") }
        return Redacted(isSecret ? password : name)
    }

    func choose(
        _ label: String, for origin: Origin, from options: [String], selected: Set<Int>, allowsSeveral: Bool
    ) async throws -> Set<Int> { selected }

    func confirm(_ question: String) async throws -> Bool { true }
}
