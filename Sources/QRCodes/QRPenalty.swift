/// The penalty of a code for being hard to read. The mask with the lowest penalty is used (ISO/IEC 18004, 7.8.3).
enum QRPenalty {
    static func of(_ modules: [[Bool]]) -> Int {
        let columns = modules.indices.map { x in modules.map { $0[x] } }
        return (modules + columns).reduce(0) { $0 + runs($1) + finders($1) } + squares(modules) + balance(modules)
    }

    /// The penalty for five and more modules of a colour in a row.
    private static func runs(_ line: [Bool]) -> Int {
        var (result, length) = (0, 0)
        for index in line.indices {
            length = index > 0 && line[index] == line[index - 1] ? length + 1 : 1
            if length == 5 { result += 3 } else if length > 5 { result += 1 }
        }
        return result
    }

    private static let finder = [true, false, true, true, true, false, true]
    private static let margin = [false, false, false, false]

    /// The penalty for sequences like a finder pattern.
    private static func finders(_ line: [Bool]) -> Int {
        let line = margin + line + margin
        return (0...(line.count - 11)).reduce(0) { result, start in
            let piece = line[start..<start + 11]
            let isLike = piece.elementsEqual(finder + margin) || piece.elementsEqual(margin + finder)
            return result + (isLike ? 40 : 0)
        }
    }

    private static func squares(_ modules: [[Bool]]) -> Int {
        var count = 0
        for y in 1..<modules.count {
            for x in 1..<modules.count {
                let colour = modules[y][x]
                if modules[y - 1][x] == colour, modules[y][x - 1] == colour, modules[y - 1][x - 1] == colour {
                    count += 1
                }
            }
        }
        return count * 3
    }

    /// The penalty for an unequal share of dark modules: ten for each five percent away from half.
    private static func balance(_ modules: [[Bool]]) -> Int {
        let total = modules.count * modules.count
        let dark = modules.reduce(0) { $0 + $1.count { $0 } }
        return abs(dark * 20 - total * 10) / total * 10
    }
}
