#if os(Linux)
import Foundation

/// The memory of a child process.
struct ProcessMemory {
    private let identifier: Int32

    init(of identifier: Int32) { self.identifier = identifier }

    /// The names of the secrets that are anywhere in it.
    func finds(_ secrets: [String: [UInt8]]) throws -> Set<String> {
        let memory = open("/proc/\(identifier)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { close(memory) }
        let overlap = (secrets.values.map(\.count).max() ?? 1) - 1
        var buffer = [UInt8](repeating: 0, count: 4 << 20)
        var found: Set<String> = []
        for region in try regions() {
            var start = region.lowerBound
            while start < region.upperBound {
                let size = min(buffer.count, region.upperBound - start)
                let count = buffer.withUnsafeMutableBytes { pread(memory, $0.baseAddress, size, start) }
                // The kernel's own pages cannot be read.
                guard count > 0 else { break }
                buffer.withUnsafeBytes { bytes in
                    let read = UnsafeRawBufferPointer(rebasing: bytes[..<count])
                    for (name, secret) in secrets where Self.isFound(secret, in: read) { found.insert(name) }
                }
                start += count == region.upperBound - start ? count : max(1, count - overlap)
            }
        }
        return found
    }

    private static func isFound(_ secret: [UInt8], in bytes: UnsafeRawBufferPointer) -> Bool {
        guard var next = bytes.baseAddress, let first = secret.first else { return false }
        let end = next + bytes.count
        while end - next >= secret.count, let place = memchr(next, Int32(first), end - next - secret.count + 1) {
            if memcmp(place, secret, secret.count) == 0 { return true }
            next = UnsafeRawPointer(place) + 1
        }
        return false
    }

    private func regions() throws -> [Range<Int>] {
        try String(contentsOfFile: "/proc/\(identifier)/maps", encoding: .utf8).split(separator: "\n").compactMap {
            line in
            let words = line.split(separator: " ")
            let ends = words[0].split(separator: "-").compactMap { Int($0, radix: 16) }
            guard words[1].hasPrefix("r"), ends.count == 2 else { return nil }
            return ends[0]..<ends[1]
        }
    }
}
#endif
