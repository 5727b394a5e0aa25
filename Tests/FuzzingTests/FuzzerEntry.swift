import Foundation

/// Called by libFuzzer for each input (`scripts/fuzz`). The environment names the target, because libFuzzer owns the
/// arguments.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do { try chosenTarget.run(bytes) } catch {
        FileHandle.standardError.write(Data("\nBroken property of \(chosenTarget.name): \(error)\n".utf8))
        abort()
    }
    return 0
}

/// The target of the environment. An unknown name is a bug of the script, which only passes known ones.
private let chosenTarget: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.named(name) else {
        let names = FuzzTarget.all.map(\.name).joined(separator: "\n")
        FileHandle.standardError.write(Data("FUZZ_TARGET is one of:\n\(names)\n".utf8))
        _exit(2)
    }
    return target
}()
