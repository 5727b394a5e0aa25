import Foundation

/// A parser of what a peer or a file says, as a function of bytes.
///
/// It may take the bytes or refuse them. What it must never do is trap, hang, or break one of the properties that it
/// checks, such as that what was written is read back as the same.
struct FuzzTarget: Sendable {
    /// Its name on the command line, and that of its folder in `Corpora`.
    let name: String
    /// Throws a ``BrokenProperty``; a refusal is no error.
    let run: @Sendable (_ bytes: [UInt8]) throws -> Void

    init(_ name: String, _ run: @escaping @Sendable (_ bytes: [UInt8]) throws -> Void) {
        self.name = name
        self.run = run
    }

    /// The largest input that `scripts/fuzz` makes.
    static let maximumBytes = 16 << 10

    static let all: [FuzzTarget] =
        messageTargets + connectionTargets + pageTargets + dataTargets + certificateTargets + loginTargets + fileTargets

    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A parser took something and did not keep what it promises.
struct BrokenProperty: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Throws where something does not hold.
func require(_ holds: Bool, _ property: @autoclosure () -> String) throws(BrokenProperty) {
    if !holds { throw BrokenProperty(property()) }
}

/// Throws where two values differ.
func requireEqual<Value: Equatable>(
    _ first: Value, _ second: Value, _ property: @autoclosure () -> String
) throws(BrokenProperty) {
    if first != second { throw BrokenProperty("\(property()): \(first) is not \(second)") }
}

/// Runs work that may refuse its input, and has to come to an end.
func completed(_ work: @escaping @Sendable () async throws -> Void) throws(BrokenProperty) {
    do { try InlineExecutor.run(work) } catch let error as BrokenProperty { throw error } catch {}
}

extension [UInt8] {
    /// As text; what is no UTF-8 is replaced.
    var text: String { String(decoding: self, as: UTF8.self) }

    /// The first line as text, and what comes after it.
    var lineAndRest: (line: String, rest: [UInt8]) {
        guard let end = firstIndex(of: 0x0A) else { return (text, []) }
        return (Array(self[..<end]).text, Array(self[(end + 1)...]))
    }

    /// Pieces of a size, as a connection would bring them; 0: all of it at once.
    func pieces(of size: Int) -> [[UInt8]] {
        guard size > 0 else { return isEmpty ? [] : [self] }
        return stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
