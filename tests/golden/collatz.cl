__kernel void collatz(__global int *out, int n)
{
    for (int i = (int)get_local_id(0); i < n; i += (int)get_local_size(0)) {
        ulong x = i + 1;
        int steps = 0;
        while (true) {
            if (x == 1) {
                break;
            }
            ++steps;
            if (x % 2 == 0) {
                x /= 2;
                continue;
            }
            x = x * 3 + 1;
        }
        int k = 0;
        do {
            {
                k += 2;
            }
            --k;
        } while (k < steps);
        out[i] = k;
    }
}
