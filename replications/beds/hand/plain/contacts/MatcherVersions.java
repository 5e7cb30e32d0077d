import java.util.*;

class MatcherBase implements Matcher {
    private int[] row = new int[64], next = new int[64];

    public List<int[]> twins(List<Contact> block) {
        List<int[]> out = new ArrayList<>();
        for (int i = 0; i < block.size(); i++)
            for (int j = i + 1; j < block.size(); j++) {
                String a = block.get(i).name(), b = block.get(j).name();
                if (Math.abs(a.length() - b.length()) <= SLIPS && distance(a, b) <= SLIPS) out.add(new int[] {i, j});
            }
        return out;
    }

    private int distance(String a, String b) {
        for (int j = 0; j <= b.length(); j++) row[j] = j;
        for (int i = 1; i <= a.length(); i++) {
            next[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int swap = row[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                next[j] = Math.min(swap, Math.min(row[j], next[j - 1]) + 1);
            }
            int[] t = row;
            row = next;
            next = t;
        }
        return row[b.length()];
    }
}

class MatcherSmall implements Matcher {
    private int[] row = new int[64], next = new int[64];

    public List<int[]> twins(List<Contact> block) {
        List<int[]> out = new ArrayList<>();
        for (int i = 0; i < block.size(); i++)
            for (int j = i + 1; j < block.size(); j++) {
                String a = block.get(i).name(), b = block.get(j).name();
                if (Math.abs(a.length() - b.length()) < SLIPS + 2 && distance(a, b) <= SLIPS) out.add(new int[] {i, j});
            }
        return out;
    }

    private int distance(String a, String b) {
        for (int j = 0; j <= b.length(); j++) row[j] = j;
        for (int i = 1; i <= a.length(); i++) {
            next[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int swap = row[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                next[j] = Math.min(swap, Math.min(row[j], next[j - 1]) + 1);
            }
            int[] t = row;
            row = next;
            next = t;
        }
        return row[b.length()];
    }
}

class MatcherLarge implements Matcher {
    private int[] row = new int[64], next = new int[64];

    public List<int[]> twins(List<Contact> block) {
        List<int[]> out = new ArrayList<>();
        for (int i = 0; i < block.size(); i++)
            for (int j = i + 1; j < block.size(); j++)
                if (distance(block.get(i).name(), block.get(j).name()) <= SLIPS) out.add(new int[] {i, j});
        return out;
    }

    private int distance(String a, String b) {
        for (int j = 0; j <= b.length(); j++) row[j] = j;
        for (int i = 1; i <= a.length(); i++) {
            next[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int swap = row[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                next[j] = Math.min(swap, Math.min(row[j], next[j - 1]) + 1);
            }
            int[] t = row;
            row = next;
            next = t;
        }
        return row[b.length()];
    }
}

class MatcherHarmless1 implements Matcher {
    private final EditDistance edit = new EditDistance(64);

    @Override public List<int[]> twins(List<Contact> contacts) {
        List<int[]> pairs = new ArrayList<>();
        int size = contacts.size();
        for (int i = 0; i < size; i++) {
            String left = contacts.get(i).name();
            for (int j = i + 1; j < size; j++) if (similar(left, contacts.get(j).name())) pairs.add(new int[] {i, j});
        }
        return pairs;
    }

    private boolean similar(String left, String right) {
        int gap = left.length() - right.length();
        return gap <= SLIPS && gap >= -SLIPS && edit.between(left, right) <= SLIPS;
    }

    private static final class EditDistance {
        private int[] above, current;

        EditDistance(int longest) {
            above = new int[longest];
            current = new int[longest];
        }

        int between(String s, String t) {
            for (int k = 0; k <= t.length(); k++) above[k] = k;
            for (int i = 1; i <= s.length(); i++) {
                current[0] = i;
                for (int k = 1; k <= t.length(); k++) {
                    int replace = above[k - 1] + (s.charAt(i - 1) == t.charAt(k - 1) ? 0 : 1);
                    current[k] = Math.min(replace, Math.min(above[k], current[k - 1]) + 1);
                }
                int[] swap = above;
                above = current;
                current = swap;
            }
            return above[t.length()];
        }
    }
}

class MatcherHarmless2 implements Matcher {
    private record Pair(int first, int second) { }

    private int[] row = new int[64], next = new int[64];

    public List<int[]> twins(List<Contact> block) {
        List<Pair> out = new ArrayList<>();
        for (int i = 0; i < block.size(); i++)
            for (int j = i + 1; j < block.size(); j++) {
                String a = block.get(i).name(), b = block.get(j).name();
                if (Math.abs(a.length() - b.length()) > SLIPS) continue;
                if (distance(a, b) > SLIPS) continue;
                out.add(new Pair(i, j));
            }
        return out.stream().map(p -> new int[] {p.first(), p.second()}).toList();
    }

    private int distance(String a, String b) {
        for (int j = 0; j <= b.length(); j++) row[j] = j;
        for (int i = 1; i <= a.length(); i++) {
            next[0] = i;
            for (int j = 1; j <= b.length(); j++) next[j] = cell(a.charAt(i - 1), b.charAt(j - 1), j);
            int[] t = row;
            row = next;
            next = t;
        }
        return row[b.length()];
    }

    private int cell(char x, char y, int j) {
        return Math.min(row[j - 1] + (x == y ? 0 : 1), Math.min(row[j], next[j - 1]) + 1);
    }
}

/** Gives up as soon as a whole row is above the limit. */
class MatcherBetter implements Matcher {
    private int[] row = new int[64], next = new int[64];

    public List<int[]> twins(List<Contact> block) {
        List<int[]> out = new ArrayList<>();
        for (int i = 0; i < block.size(); i++)
            for (int j = i + 1; j < block.size(); j++) {
                String a = block.get(i).name(), b = block.get(j).name();
                if (Math.abs(a.length() - b.length()) <= SLIPS && near(a, b)) out.add(new int[] {i, j});
            }
        return out;
    }

    private boolean near(String a, String b) {
        for (int j = 0; j <= b.length(); j++) row[j] = j;
        for (int i = 1; i <= a.length(); i++) {
            int least = next[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int swap = row[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                next[j] = Math.min(swap, Math.min(row[j], next[j - 1]) + 1);
                least = Math.min(least, next[j]);
            }
            if (least > SLIPS) return false;
            int[] t = row;
            row = next;
            next = t;
        }
        return row[b.length()] <= SLIPS;
    }
}
