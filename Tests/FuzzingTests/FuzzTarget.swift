import Foundation
import TestSupport

/// A parser of input from a peer or a file, as a function of bytes.
///
/// It may accept or refuse the bytes. It must never trap, hang, or break one of the properties that it checks, such as
/// that written data reads back as the same.
struct FuzzTarget: Sendable {
    /// The name on the command line, and of its folder in `Corpora`.
    let name: String
    /// Throws a ``BrokenProperty``. Refusing the input is allowed.
    let run: @Sendable (_ bytes: [UInt8]) throws -> Void

    init(_ name: String, _ run: @escaping @Sendable (_ bytes: [UInt8]) throws -> Void) {
        self.name = name
        self.run = run
    }

    /// The maximum size of an input that `scripts/fuzz` makes.
    static let maximumBytes = 16 << 10

    static let all: [FuzzTarget] =
        messageTargets + connectionTargets + pageTargets + dataTargets + certificateTargets + loginTargets
        + recognitionTargets + fileTargets + helperTargets + relayTargets + stateTargets + envelopeTargets

    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// The error for a parser that accepted input and broke a property.
struct BrokenProperty: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Throws unless a property holds.
func require(_ holds: Bool, _ property: @autoclosure () -> String) throws(BrokenProperty) {
    if !holds { throw BrokenProperty(property()) }
}

/// Throws if two values differ.
func requireEqual<Value: Equatable>(
    _ first: Value, _ second: Value, _ property: @autoclosure () -> String
) throws(BrokenProperty) {
    if first != second { throw BrokenProperty("\(property()): \(first) is not \(second)") }
}

/// Runs work that may refuse its input, and must end.
func completed(_ work: @escaping @Sendable () async throws -> Void) throws(BrokenProperty) {
    do { try outcome(work) } catch let error as BrokenProperty { throw error } catch {}
}

/// Runs work to its end on the calling thread.
///
/// - Throws: the error of the work; a ``BrokenProperty`` if it waits for something that never comes
func outcome<Value: Sendable>(
    within patience: DispatchTimeInterval = .seconds(10), _ work: @escaping @Sendable () async throws -> Value
) throws -> Value {
    do { return try InlineExecutor.run(patience: patience, work) } catch let error as InlineExecutor.Stuck {
        throw BrokenProperty("\(error)")
    }
}

extension [UInt8] {
    /// The bytes as text. Invalid UTF-8 is replaced.
    var text: String { String(decoding: self, as: UTF8.self) }

    /// The first line as text, and the bytes after it.
    var lineAndRest: (line: String, rest: [UInt8]) {
        guard let end = firstIndex(of: 0x0A) else { return (text, []) }
        return (Array(self[..<end]).text, Array(self[(end + 1)...]))
    }

    /// Pieces of that size, as from a connection; 0: all bytes at once.
    func pieces(of size: Int) -> [[UInt8]] {
        guard size > 0 else { return isEmpty ? [] : [self] }
        return stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
